/**
 * Reads the words of names, and says whether two names contradict each other. A name never decides who somebody is. It can only
 * show that a phone number now belongs to another person. Pure.
 */
import { fold } from '../words.ts'

/** A word without accents, in its two spellings: `muller` and `mueller`. They are the same for most words. */
interface Word {
  plain: string
  transcribed: string
}

const titles = new Set(
  'dr mr mrs ms miss prof herr frau mme mlle sr sra srta dra sig'.split(' '),
)
const generationByWord = new Map(
  Object.entries({ jr: 'jr', junior: 'jr', sr: 'sr', senior: 'sr', ii: 'ii', iii: 'iii' }),
)

/** Whether two names cannot belong to one person. A name without words, such as an emoji, contradicts no name. */
export function doNamesContradict(oneText: string, otherText: string) {
  const [one, other] = [readName(oneText), readName(otherText)]
  const generations = new Set([...one.generations, ...other.generations])
  return generations.size > 1 || !doWordsAgree(one.words, other.words)
}

/** Whether each word of the shorter name stands for a word of the longer one. Of two as long, each has to. */
function doWordsAgree(one: readonly Word[], other: readonly Word[]) {
  const isIn = (words: readonly Word[], others: readonly Word[]) =>
    words.every((word) => others.some((each) => canStandFor(word, each)))
  return (
    (one.length > other.length || isIn(one, other)) &&
    (other.length > one.length || isIn(other, one))
  )
}

/** Whether two words have a spelling in common, or one is an initial of the other. */
function canStandFor(one: Word, other: Word) {
  return spellingsOf(one).some((spelling) =>
    spellingsOf(other).some(
      (each) =>
        spelling === each || isInitialOf(spelling, each) || isInitialOf(each, spelling),
    ),
  )
}

/** A single letter. In Chinese, Japanese and Korean, it is a whole name. */
const initial = /^(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}])\p{L}$/u

function isInitialOf(letter: string, word: string) {
  return word.startsWith(letter) && initial.test(letter)
}

/** Returns the parts of a name, without its titles. Its first word is never a generation: `Júnior Silva`. */
function readName(text: string) {
  /** Each word once. */
  const words = new Map<string, Word>()
  const generations: string[] = []
  for (const [index, word] of wordsOf(text).entries()) {
    const generation = index === 0 ? undefined : generationByWord.get(word.plain)
    if (generation !== undefined) generations.push(generation)
    else if (!titles.has(word.plain)) words.set(word.plain, word)
  }
  return { words: [...words.values()], generations }
}

const betweenWords = /[\s\p{Pd},.،、。·・‧]+/u

/** Returns the words of a name in their order, titles and generations included. */
export function wordsOf(name: string): Word[] {
  return fold(name)
    .split(betweenWords)
    .map(readWord)
    .filter(({ plain }) => plain !== '')
}

export function spellingsOf({ plain, transcribed }: Word) {
  return [plain, transcribed]
}

/** Letters that Unicode does not take apart into a letter and an accent. `fold` writes ß as ss. */
const plainLetters: Readonly<Record<string, string>> = {
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  ł: 'l',
  đ: 'd',
}
const transcribedLetters: Readonly<Record<string, string>> = {
  ...plainLetters,
  ä: 'ae',
  ö: 'oe',
  ø: 'oe',
  ü: 'ue',
  å: 'aa',
}

function readWord(text: string): Word {
  // Most words have one spelling.
  if (/^[a-z0-9]+$/.test(text)) return { plain: text, transcribed: text }
  const letters = text.replace(/[^\p{L}\p{M}\p{N}]+/gu, '').normalize('NFC')
  return {
    plain: spell(letters, plainLetters),
    transcribed: spell(letters, transcribedLetters),
  }
}

/**
 * Accents of Latin, Greek and Cyrillic, points of Hebrew, vowels of Arabic. In other scripts a mark makes another letter, so it
 * is kept.
 */
const accents = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/g

/** Replaces letters, and drops the accents of the others. */
function spell(word: string, replacements: Readonly<Record<string, string>>) {
  const replaced = word.replace(/[^a-z0-9]/g, (letter) => replacements[letter] ?? letter)
  return replaced.normalize('NFD').replace(accents, '').normalize('NFC')
}
