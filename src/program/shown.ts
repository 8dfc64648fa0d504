/** What a command shows: the views of verbs, found without running any. */
import type { Command } from '@commander-js/extra-typings'
import type { Run } from '../cli/verb.ts'
import type { Host } from '../host.ts'
import { formatsOf } from '../output/formats/choice.ts'
import type { Format, View } from '../output/result.ts'

export interface ShownBy {
  readonly view: View<never>
  readonly formats: readonly Format[]
}

/** What makes the tree of commands: handed over, since `program.ts` leads here by way of help. */
export type BuildProgram = (host: Pick<Host, 'columns'>, run: Run, words: readonly string[]) => Promise<Command>

/** The verb of these names is run as far as its view, with these options and no arguments. Undefined for a noun. */
export async function shownBy(
  buildProgram: BuildProgram,
  host: Pick<Host, 'columns'>,
  names: readonly string[],
  options: readonly string[] = [],
): Promise<ShownBy | undefined> {
  const { commandAt } = await import('./help/page.ts')
  let seen: ShownBy | undefined
  const look: Run =
    (view, _action, { plain, bulk } = {}) =>
    (...args) => {
      const shown: View<never> = bulk?.(...args) ?? view
      const ofText: readonly Format[] = plain === 'json' ? ['table', 'json'] : ['table']
      seen = { view: shown, formats: plain === undefined ? formatsOf(shown) : ofText }
      return Promise.resolve()
    }
  const program = await buildProgram(host, look, names)
  const command = commandAt(program, names)
  if (names.length === 0 || command.commands.length > 0) return undefined
  for (const argument of command.registeredArguments) argument.required = false
  for (const option of command.options) option.mandatory = false
  await program.parseAsync([...names, ...options], { from: 'user' })
  return seen
}
