/**
 * Names of people: whether two of them agree (`match`, `duplicates`), and whether a name has the words that
 * were typed (`find`). A name never decides who somebody is: it only keeps a number that changed hands from
 * being taken for the person who had it. Pure.
 */
import { fold, visibleText } from '../words.ts'

interface Word {
  /** Without accents; letters such as ø as their plain form. */
  plain: string
  /** With ä as ae and the like: another way to write the same word. */
  transcribed: string
  /** One letter of an alphabet, which matches every word that begins with it. */
  isInitial: boolean
  /** The last word before a comma, as in `Miller, Anna`. */
  isLastName: boolean
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
const notInWords = /[^\p{L}\p{M}\p{N}]+/gu
/** Accents of Latin, Greek and Cyrillic, points of Hebrew, vowels of Arabic. Elsewhere, marks make other letters. */
const accents = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/g
/** In scripts of syllables and ideographs one character is a name, not an initial. */
const initial = /^(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}])\p{L}$/u
const ascii = /^[a-z0-9]*$/
/** Longer names agree only if they are the same text, in any letter case. */
const mostWords = 30

/** Whether two names cannot be those of one person. A name without words contradicts nothing. */
export function doNamesContradict(one: string, other: string): boolean {
  if (fold(one) === fold(other)) return false
  const names = [one, other].map((name) =>
    wordsOf(name).filter(({ plain }) => !titles.has(plain)),
  )
  const [shorter = [], longer = []] = names.toSorted((a, b) => a.length - b.length)
  const [only] = shorter
  if (only === undefined) return false
  if (shorter.length === 1) {
    // A single word must stand for a last name.
    const lastNames = longer.filter((word) => word.isLastName || word === longer.at(-1))
    return !lastNames.some((word) => standsFor(only, word))
  }
  return longer.length > mostWords || !canPairAll(shorter, longer)
}

/**
 * Whether every word can have a partner of its own among the other words. If the partner of a word is taken, its rival looks
 * for another one (bipartite matching by augmenting paths).
 */
function canPairAll(words: readonly Word[], others: readonly Word[]) {
  const partners = new Map<Word, Word>()
  const pair = (word: Word, tried: Set<Word>) =>
    others.some((other) => {
      if (tried.has(other) || !standsFor(word, other)) return false
      tried.add(other)
      const rival = partners.get(other)
      if (rival !== undefined && !pair(rival, tried)) return false
      partners.set(other, word)
      return true
    })
  return words.every((word) => pair(word, new Set()))
}

/** Finds whether a name has every word that was typed. If no words were typed, but emoji, the whole name is compared. */
export function nameMatcher(typed: string): (name: string) => boolean {
  const whole = fold(typed)
  const wanted = wordsOf(typed)
  if (wanted.length === 0) return (name) => fold(name) === whole
  return (name) => {
    const words = wordsOf(name)
    return wanted.every((word) => words.some((other) => isSameWord(word, other)))
  }
}

/** Whether two words can be the same word of a name. */
function standsFor(one: Word, other: Word) {
  return isSameWord(one, other) || isInitialOf(one, other) || isInitialOf(other, one)
}

function isSameWord(one: Word, other: Word) {
  const forms = [one.plain, one.transcribed]
  return forms.includes(other.plain) || forms.includes(other.transcribed)
}

function isInitialOf({ isInitial, plain }: Word, other: Word) {
  const forms = [other.plain, other.transcribed]
  return isInitial && forms.some((form) => form.startsWith(plain))
}

/** The words of a name, in order, titles included. */
function wordsOf(name: string): Word[] {
  const parts = visibleText(name).toLowerCase().split(comma)
  return parts.flatMap((part, index) => {
    const texts = part.split(betweenWords).map((text) => text.replace(notInWords, ''))
    const words = texts.filter((text) => text !== '').map(wordOf)
    const last = words.findLast(({ plain }) => !titles.has(plain))
    if (last !== undefined) last.isLastName = index < parts.length - 1
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
    isLastName: false,
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
