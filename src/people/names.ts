/**
 * Names of people: whether two of them agree (`match`, `duplicates`), and whether a name has the words that
 * were typed (`find`). A name never decides who somebody is: it only keeps a number that changed hands from
 * being taken for the person who had it. Pure.
 */
import { usageError } from '../errors.ts'
import { fold } from '../words.ts'

/** A word in the ways to write it: without accents, and with ä as ae and the like. */
type Word = readonly string[]

const titles = new Set(
  'dr mr mrs ms miss prof herr frau mme mlle sr sra srta dra sig'.split(' '),
)
/** Letters that are not a letter with an accent. `fold` writes ß as ss. */
const plainLetters = {
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  ł: 'l',
  đ: 'd',
}
const transcriptions = {
  ...plainLetters,
  ä: 'ae',
  ö: 'oe',
  ø: 'oe',
  ü: 'ue',
  å: 'aa',
}
const betweenWords = /[\s\p{Pd},.،、。·・‧]+/u
const notInWords = /[^\p{L}\p{M}\p{N}]+/gu
/** Accents of Latin, Greek and Cyrillic, points of Hebrew, vowels of Arabic. Elsewhere, marks make other letters. */
const accents = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/g
/**
 * One letter of an alphabet, which stands for every word that begins with it. In scripts of syllables and ideographs one
 * character is a name.
 */
const initial = /^(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}])\p{L}$/u

/** Whether two names cannot be those of one person. A name without words, as of an emoji alone, contradicts nothing. */
export function doNamesContradict(one: string, other: string) {
  const words = namesIn(one)
  const others = namesIn(other)
  return !isWithin(words, others) || !isWithin(others, words)
}

/** Whether each word stands for one of the others, unless these are fewer. */
function isWithin(words: readonly Word[], others: readonly Word[]) {
  return (
    words.length > others.length ||
    words.every((word) => others.some((other) => standsFor(word, other)))
  )
}

function standsFor(one: Word, other: Word) {
  return one.some((form) =>
    other.some((each) => isShortFor(form, each) || isShortFor(each, form)),
  )
}

function isShortFor(form: string, whole: string) {
  return form === whole || (initial.test(form) && whole.startsWith(form))
}

/** A function that finds whether a name has every word of one of these texts. Throws exit 2 for a text without words. */
export function nameTest(typed: readonly string[]) {
  const wanted = typed.map((text) => {
    const words = wordsOf(text)
    if (words.length > 0) return words
    throw usageError(`there is no word in --name "${text}"`)
  })
  return (name: string) => {
    const written = wordsOf(name).flat()
    const has = (word: Word) => word.some((form) => written.includes(form))
    return wanted.length === 0 || wanted.some((words) => words.every(has))
  }
}

/** The different words of a name, without titles. */
function namesIn(name: string): Word[] {
  const words = wordsOf(name).filter(([plain = '']) => !titles.has(plain))
  return [...new Map(words.map((word) => [word[0], word])).values()]
}

function wordsOf(name: string): Word[] {
  return fold(name)
    .split(betweenWords)
    .map((text) => text.replace(notInWords, '').normalize('NFC'))
    .filter((text) => text !== '')
    .map((text) => [spell(text, plainLetters), spell(text, transcriptions)])
}

function spell(text: string, letters: Readonly<Record<string, string>>) {
  const written = text.replace(/[^a-z0-9]/g, (letter) => letters[letter] ?? letter)
  return written.normalize('NFD').replace(accents, '').normalize('NFC')
}
