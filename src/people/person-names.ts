/**
 * Compares names of people: whether two names contradict each other, and whether a name has the words that were typed. A name
 * never decides who somebody is. It can only show that a phone number now belongs to another person. Pure.
 */
import { usageError } from '../errors.ts'
import { fold } from '../words.ts'

/** How well something fits, the best last. */
export const fits = { not: 0, nearly: 1, exactly: 2 } as const

/** The spellings of a word: without accents, and with letters such as ä written as ae. */
type Word = readonly string[]

const titles = new Set(
  'dr mr mrs ms miss prof herr frau mme mlle sr sra srta dra sig'.split(' '),
)
const generationByWord = new Map(
  Object.entries({ jr: 'jr', junior: 'jr', sr: 'sr', senior: 'sr', ii: 'ii', iii: 'iii' }),
)
/** Letters that Unicode does not take apart into a letter and an accent. `fold` writes ß as ss. */
const plainLetters: Readonly<Record<string, string>> = {
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  ł: 'l',
  đ: 'd',
}
/** The letters of the second spelling. */
const transcriptions: Readonly<Record<string, string>> = {
  ...plainLetters,
  ä: 'ae',
  ö: 'oe',
  ø: 'oe',
  ü: 'ue',
  å: 'aa',
}
/** Most words. They have one spelling. */
const plainWord = /^[a-z0-9]+$/
const betweenWords = /[\s\p{Pd},.،、。·・‧]+/u
const notInWords = /[^\p{L}\p{M}\p{N}]+/gu
/**
 * Accents of Latin, Greek and Cyrillic, points of Hebrew, vowels of Arabic. In other scripts a mark makes another letter, so it
 * is kept.
 */
const accents = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/g
/** A single letter, which stands for every word that begins with it. In Chinese, Japanese and Korean, it is a whole name. */
const initial = /^(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}])\p{L}$/u

/** Whether two names cannot belong to one person. A name without words, such as an emoji, contradicts no name. */
export function doNamesContradict(one: string, other: string) {
  const { words, generations } = partsOf(one)
  const { words: others, generations: otherGenerations } = partsOf(other)
  const haveOtherGenerations = new Set([...generations, ...otherGenerations]).size > 1
  return haveOtherGenerations || !canAgree(words, others) || !canAgree(others, words)
}

/** Whether each word of a name can stand for one of the other name's. Of the longer name, nothing is asked. */
function canAgree(words: readonly Word[], others: readonly Word[]) {
  return (
    words.length > others.length ||
    words.every((word) => others.some((other) => canStandFor(word, other)))
  )
}

/** Whether two words have a spelling in common, or one is an initial of the other. */
function canStandFor(one: Word, other: Word) {
  return one.some((spelling) =>
    other.some((each) => isShortFor(spelling, each) || isShortFor(each, spelling)),
  )
}

/** Whether a spelling is the same as another one, or its initial. */
function isShortFor(short: string, whole: string) {
  return short === whole || (initial.test(short) && whole.startsWith(short))
}

/**
 * Returns a function that says how well a name fits a typed text: exactly if it has each word of it, or nearly if these only begin
 * words of the name. Throws a usage error for a text without words.
 */
export function nameTest(typed: string) {
  const wanted = wordsOf(typed)
  if (wanted.length === 0) throw usageError(`there is no word in --name "${typed}"`)
  return (name: string) => {
    const spellings = wordsOf(name).flat()
    const hasAll = (isFound: (wantedSpelling: string) => boolean) =>
      wanted.every((word) => word.some(isFound))
    if (hasAll((begin) => spellings.includes(begin))) return fits.exactly
    const isBegun = hasAll((begin) => spellings.some((each) => each.startsWith(begin)))
    return isBegun ? fits.nearly : fits.not
  }
}

/** Returns the words of a name, each once, without titles, and its generations. The first word is never one: `Júnior Silva`. */
function partsOf(name: string) {
  const words = new Map<string, Word>()
  const generations: string[] = []
  for (const [index, word] of wordsOf(name).entries()) {
    const [plain = ''] = word
    const generation = index === 0 ? undefined : generationByWord.get(plain)
    if (generation !== undefined) generations.push(generation)
    else if (!titles.has(plain)) words.set(plain, word)
  }
  return { words: [...words.values()], generations }
}

/** Returns the words of a name in their order. */
function wordsOf(name: string): Word[] {
  return fold(name)
    .split(betweenWords)
    .map(spellingsOf)
    .filter(([spelling]) => spelling !== '')
}

function spellingsOf(word: string): Word {
  if (plainWord.test(word)) return [word]
  const bare = word.replace(notInWords, '').normalize('NFC')
  return [plainLetters, transcriptions].map((letters) =>
    bare
      .replace(/[^a-z0-9]/g, (letter) => letters[letter] ?? letter)
      .normalize('NFD')
      .replace(accents, '')
      .normalize('NFC'),
  )
}
