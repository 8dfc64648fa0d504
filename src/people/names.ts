/**
 * Names of people: whether two of them agree (`match`, `duplicates`), and whether a name has the words that
 * were typed (`find`). A name never decides who somebody is: it only keeps a number that changed hands from
 * being taken for the person who had it. Pure.
 */
import { usageError } from '../errors.ts'
import { fold } from '../words.ts'

interface Word {
  /** The ways to write it: without accents, and with ä as ae and the like. */
  forms: readonly string[]
  /** One letter of an alphabet, which stands for every word that begins with it. */
  isInitial: boolean
}

const titles = new Set(
  'dr mr mrs ms miss prof herr frau mme mlle sr sra srta dra sig'.split(' '),
)
/** Letters that are not a letter with an accent. `fold` writes ß as ss. */
const plainLetters: Readonly<Record<string, string>> = {
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  ł: 'l',
  đ: 'd',
}
const transcriptions: Readonly<Record<string, string>> = {
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
const ascii = /^[a-z0-9]*$/
/** In scripts of syllables and ideographs one character is a name, not an initial. */
const initial = /^(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}])\p{L}$/u

/** Whether two names cannot be those of one person. A name without words, as of an emoji alone, contradicts nothing. */
export function doNamesContradict(one: string, other: string): boolean {
  const [words, others] = [namesIn(one), namesIn(other)]
  if (words.length === 0 || others.length === 0) return false
  return !isWithin(words, others) || !isWithin(others, words)
}

/** Whether each word stands for one of the others, unless these are fewer. */
function isWithin(words: readonly Word[], others: readonly Word[]) {
  if (words.length > others.length) return true
  return words.every((word) => others.some((other) => standsFor(word, other)))
}

function standsFor(one: Word, other: Word) {
  return one.forms.some((form) =>
    other.forms.some(
      (each) =>
        form === each ||
        (one.isInitial && each.startsWith(form)) ||
        (other.isInitial && form.startsWith(each)),
    ),
  )
}

/** Finds whether a name has every word that was typed. Throws exit 2 if none was typed. */
export function nameMatcher(typed: string): (name: string) => boolean {
  const wanted = wordsOf(typed)
  if (wanted.length === 0) throw usageError(`there is no word in --name "${typed}"`)
  return (name) => {
    const written = wordsOf(name).flatMap(({ forms }) => forms)
    return wanted.every(({ forms }) => forms.some((form) => written.includes(form)))
  }
}

/** The different words of a name, without titles. */
function namesIn(name: string): Word[] {
  const words = wordsOf(name).filter(({ forms: [plain = ''] }) => !titles.has(plain))
  return [...new Map(words.map((word) => [word.forms[0], word])).values()]
}

function wordsOf(name: string): Word[] {
  const texts = fold(name)
    .split(betweenWords)
    .map((text) => text.replace(notInWords, '').normalize('NFC'))
  return texts
    .filter((text) => text !== '')
    .map((text) => ({
      forms: [spell(text, plainLetters), spell(text, transcriptions)],
      isInitial: initial.test(text),
    }))
}

function spell(text: string, letters: Readonly<Record<string, string>>) {
  if (ascii.test(text)) return text
  const written = text.replace(/[^a-z0-9]/g, (letter) => letters[letter] ?? letter)
  return written.normalize('NFD').replace(accents, '').normalize('NFC')
}
