/** Help for programs: the table of commands and their verbs as JSON. `help.ts` prints it for `svc help --json`. */
import { globalOptions } from '../../cli/global-options.ts'
import { longFlag } from '../../cli/options.ts'
import { version } from '../../version.ts'
import { namesBelow, type Commands } from '../commands.ts'

/** A form that programs may rely on: members are added, never renamed or taken away, while `schema` stays. */
export async function commandsAsJson(commands: Commands, path: string) {
  return { schema: 'svc.help/2', version, ...(await commandAsJson(commands, path)) }
}

/** A command with those below it: the data of its help as they are declared. */
async function commandAsJson(
  commands: Commands,
  path: string,
): Promise<Record<string, unknown>> {
  const row = commands.verbs[path]
  const verb = (await row?.load())?.verb
  const { summary, description, notes, examples, effect, ...takes } = {
    ...commands.nouns[path],
    ...row,
    ...verb,
  }
  const options = path === '' ? globalOptions : (takes.options ?? {})
  const below = namesBelow(commands, path).map(([name]) =>
    commandAsJson(commands, `${path} ${name}`.trim()),
  )
  return {
    command: `svc ${path}`.trim(),
    summary,
    description,
    notes,
    examples,
    effect,
    arguments: takes.arguments ?? [],
    options: Object.entries(options).map(([key, option]) => ({
      name: longFlag(key, option),
      ...option,
    })),
    commands: await Promise.all(below),
  }
}
