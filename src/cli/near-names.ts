/**
 * Names as they were typed: the list that a verb is about, asked for where none was typed; and a name that is nearly one, which a read takes
 * with a note and a write refuses. The verbs of lists call `resolveList`, `context.ts` and `commands/directory.ts` the rest.
 */
import { findList, listChoices, parseReference } from '../api/names.ts'
import type { AcceptNear, NearName } from '../api/names.ts'
import { usageError } from '../errors.ts'
import type { BulkTools } from '../bulk/tools.ts'
import { longFlag, type TypedLine } from './options.ts'
import { shellWord } from '../words.ts'
import { safe } from '../safe-text.ts'

type ListCommand = Pick<BulkTools, 'note' | 'choose' | 'api' | 'acceptNear'>

/**
 * The list of a command on the service, as it was typed or chosen. Of one that was typed as an id only the id is known. Throws exit 2 when
 * there is no list, and for one that cannot be, and exit 6 for a change of a list that is only nearly called so.
 */
export async function resolveList(
  context: ListCommand,
  typed: string | undefined,
  use: 'read' | 'change' = 'read',
) {
  const list =
    typed ?? (await context.choose('Which list?', async () => listChoices(await context.api())))
  if (list === undefined) throw usageError('the argument <list> is missing')
  parseReference(list, 'list')
  const accept = use === 'read' ? noteNear(context) : context.acceptNear
  return findList(await context.api(), list, accept)
}

/** A read says which name it takes. */
export function noteNear({ note, acceptNear }: Pick<BulkTools, 'note' | 'acceptNear'>): AcceptNear {
  const take = ({ what, typed, name }: NearName) =>
    note(`no ${what} is called "${typed}"; using "${safe(name)}"`)
  return { ...acceptNear, take }
}

/** The command line with the exact name where the near one was typed. */
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
    if (at < first || text !== typed || !isMeant) return word
    return `${word.slice(0, word.length - typed.length)}${exact}`
  })
  return ['svc', ...corrected.map(shellWord)].join(' ')
}

/** Whether a name can be typed as it is: others are named by their id. */
function isPlain(name: string): boolean {
  return /^(?!-|id:|name:|[0-9a-f]{24}$)[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/iu.test(name)
}
