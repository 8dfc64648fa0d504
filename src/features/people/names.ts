/**
 * Names of people: whether two of them agree (`match`, `duplicates`), and whether a name has the words that
 * were typed (`find`). A name never decides who somebody is: it only keeps a number that changed hands from
 * being taken for the person who had it. Pure.
 */
import { fold, visibleText } from '../../words.ts'

interface Word {
  /** Without accents; letters such as ø as their plain form. */
  plain: string
  /** With ä as ae and the like, which is another way to write the same word. */
  transcribed: string
  /** One letter of an alphabet, which matches every word that begins with it. */
  isInitial: boolean
  isBeforeComma: boolean
}

const titles = new Set(
  'dr mr mrs ms miss prof herr frau mme mlle sr sra srta sig'.split(' '),
)
const plainLetters: Readonly<Record<string, string>> = {
  ø: 'o',
  æ: 'ae',
  ß: 'ss',
  ł: 'l',
  đ: 'd',
  ı: 'i',
  ς: 'σ',
}
const transcriptions: Readonly<Record<string, string>> = {
  ...plainLetters,
  ä: 'ae',
  ö: 'oe',
  ø: 'oe',
  ü: 'ue',
  å: 'aa',
}
const comma = /[,،、]/
const betweenWords = /[\s\p{Pd}.。·・‧]+/u
const notOfWords = /[^\p{L}\p{M}\p{N}]+/gu
/** Accents of Latin, Greek and Cyrillic, points of Hebrew, vowels of Arabic. Marks of other scripts make other letters. */
const accents = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/g
/** In scripts of syllables and ideographs one character is a name, not an initial. */
const initial = /^(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}])\p{L}$/u
const ascii = /^[a-z0-9]*$/
/** Longer names agree only when they are the same text, in any letter case. */
const mostWords = 30

/** The words of a name, in order, titles included. */
function wordsOf(name: string): Word[] {
  const parts = visibleText(name).toLowerCase().split(comma)
  return parts.flatMap((part, index) => {
    const texts = part.split(betweenWords).map((text) => text.replace(notOfWords, ''))
    const words = texts.filter((text) => text !== '').map(wordOf)
    const last = words.findLast(({ plain }) => !titles.has(plain))
    if (last !== undefined) last.isBeforeComma = index < parts.length - 1
    return words
  })
}

function wordOf(text: string): Word {
  const letters = ascii.test(text) ? text : text.normalize('NFC')
  const plain = spell(letters, plainLetters)
  return {
    plain,
    transcribed: spell(letters, transcriptions),
    isInitial: initial.test(letters) || initial.test(plain),
    isBeforeComma: false,
  }
}

function spell(text: string, letters: Readonly<Record<string, string>>) {
  if (ascii.test(text)) return text
  return text
    .replace(/[^a-z0-9]/gu, (letter) => letters[letter] ?? letter)
    .normalize('NFD')
    .replace(accents, '')
    .normalize('NFC')
}

function isSameWord(one: Word, other: Word) {
  const forms = [one.plain, one.transcribed]
  return forms.includes(other.plain) || forms.includes(other.transcribed)
}

function isInitialOf({ isInitial, plain }: Word, other: Word) {
  return (
    isInitial && [other.plain, other.transcribed].some((form) => form.startsWith(plain))
  )
}

function standsFor(one: Word, other: Word) {
  return isSameWord(one, other) || isInitialOf(one, other) || isInitialOf(other, one)
}

/**
 * Whether two names cannot be those of one person: a word of the one with fewer words stands for no word of the other that
 * is left for it. A name without words contradicts nothing.
 */
export function doNamesContradict(one: string, other: string): boolean {
  if (fold(one) === fold(other)) return false
  const names = [one, other].map((name) =>
    wordsOf(name).filter(({ plain }) => !titles.has(plain)),
  )
  const [few = [], many = []] = names.toSorted((a, b) => a.length - b.length)
  const [only] = few
  if (only === undefined) return false
  if (few.length === 1) {
    // It is a last name, or the only one.
    const last = many.filter((word) => word.isBeforeComma || word === many.at(-1))
    return !last.some((word) => standsFor(only, word))
  }
  return many.length > mostWords || !hasPlaceForEach(few, many)
}

/** Whether each word matches a different one of the other words. A word moves to another match if that makes room. */
function hasPlaceForEach(words: readonly Word[], others: readonly Word[]) {
  const taken = new Map<Word, Word>()
  const place = (word: Word, seen: Set<Word>) =>
    others.some((other) => {
      if (seen.has(other) || !standsFor(word, other)) return false
      seen.add(other)
      const holder = taken.get(other)
      if (holder !== undefined && !place(holder, seen)) return false
      taken.set(other, word)
      return true
    })
  return words.every((word) => place(word, new Set()))
}

/** Whether a name has every word that was typed; without words, as of emoji, the whole name is compared. */
export function nameTest(typed: string): (name: string) => boolean {
  const whole = fold(typed)
  const wanted = wordsOf(typed)
  if (wanted.length === 0) return (name) => fold(name) === whole
  return (name) => {
    const words = wordsOf(name)
    return wanted.every((word) => words.some((other) => isSameWord(word, other)))
  }
}
