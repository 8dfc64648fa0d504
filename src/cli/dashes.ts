/** Words that begin with a dash: which are options, and which are an option's value all the same. */
import { quoted, shellWord } from '../words.ts'
import { usageError } from '../errors.ts'
import { findOption, isDashed, Reader, type Tree, type TreeOption } from './argv.ts'

/** Options whose value is a person's own text, which may begin with a dash. */
const freeText: ReadonlySet<string> = new Set(['--name', '--description', '--search', '--body', '--field', '--query'])

/**
 * The words as commander is to take them: what begins with a dash and is an option's value all the same is joined to it, or
 * the program would look for its own options in it. Throws exit 2 when such a word cannot be a value, and on a short option
 * that is glued to something.
 */
export function wordsForParser(program: Tree, words: readonly string[]): string[] {
  const reader = new Reader(program)
  const result: string[] = []
  for (const word of words) {
    const { awaiting, commands } = reader
    if (!isDashed(word) || reader.afterDashes) result.push(word)
    else if (awaiting === undefined) result.push(separateOption(word))
    else result.splice(-1, 1, `${awaiting.long ?? ''}=${dashedValue(commands, awaiting, word)}`)
    reader.take(word)
  }
  return result
}

/** A word with a leading dash where a value is meant: free text, unless it is an option. */
function dashedValue(commands: readonly Tree[], { long = '', value }: TreeOption, word: string): string {
  const isOption = word === '--' || findOption(commands, word) !== undefined || /^(?:--help|-[hqvy]+)$/.test(word)
  if (freeText.has(long) && !isOption) return word
  const file = /file|path|folder/.test(value ?? '') ? `; a file of that name is ./${shellWord(word)}` : ''
  throw usageError(
    `${long} needs a value, and ${quoted(word)} ${isOption ? 'is an option' : 'begins with a dash'}`,
    `if it is meant, write ${long}=${shellWord(word)}${file}`,
  )
}

/** `-V` counts only as a whole word: `-VIP` must not be read as `-V -I -P`. */
function separateOption(word: string): string {
  if (!/^-[A-Za-z]./.test(word) || /^-[hqvy]+$/.test(word)) return word
  throw usageError(
    `unknown option ${quoted(word)}`,
    `a short option's value is a separate word (-o json); a name that begins with a dash is written name:${word}, or after --`,
  )
}
