/**
 * The command line with the exact name of a list or employee, if a similar name was typed. A change refuses the typed name and shows this command.
 * `context.ts` passes it to the code that looks up names.
 */
import type { NearName } from '../api/names.ts'
import { longFlag, type TypedLine } from './options.ts'
import { shellWord } from '../words.ts'

/** The words as they were typed, with the exact name in place of the near one. */
export function exactCommand(
  { words, path, options }: TypedLine,
  { what, typed, name, id }: NearName,
): string {
  const exact = isPlain(name) ? name : id
  const optionOf = (flag = '') =>
    Object.entries(options).find(([key, option]) => longFlag(key, option) === flag)?.[1]
  const first = path.split(' ').length
  const corrected = words.map((word, at) => {
    const [flag, text] = /^(--[^=]+)=(.*)$/s.exec(word)?.slice(1) ?? [words[at - 1], word]
    const option = optionOf(flag)
    const isMeant = option?.value === undefined ? what === 'list' : option.takes === what
    const isTyped = text === typed || text === `name:${typed}`
    if (at < first || text === undefined || !isTyped || !isMeant) return word
    return `${word.slice(0, word.length - text.length)}${exact}`
  })
  return ['svc', ...corrected.map(shellWord)].join(' ')
}

/** Whether a name can be typed as it is: others are named by their id. */
function isPlain(name: string): boolean {
  return /^(?!-|id:|name:|[0-9a-f]{24}$)[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/iu.test(name)
}
