import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings'
import { closest } from '../../words.ts'
import { usageError } from '../../errors.ts'
import { done, noView, text } from '../../output/result.ts'
import type { Host } from '../../host.ts'
import { examples, type Context, type Run } from '../../cli/verb.ts'
import { version } from '../../version.ts'
import { withHeadings } from './headings.ts'
import { readCommandLine } from '../command-line.ts'
import { commandAt, helpOf, optionsPage, pageWidth } from './page.ts'
import { shownBy, type BuildProgram, type ShownBy } from '../shown.ts'
import { pathOf, treeOf } from '../tree.ts'

export function help(program: Command, run: Run, buildProgram: BuildProgram): void {
  program
    .command('help')
    .summary('help on a command; also svc help options, svc help topics')
    .description('Print the help of a command or a topic, the manual page, or the whole reference.')
    .argument('[words...]', 'a command (lists add-contacts), a topic, "options" or "topics"')
    .option('--all', 'with the advanced options of the command')
    .option('--man', 'print the manual page, as roff')
    .option('--markdown', 'print the reference of all commands and topics, as Markdown')
    .addHelpText(
      'after',
      `
With --json, svc help prints the commands with their options, types, values
and defaults. svc help schema <command> prints the JSON Schema of what that
command writes with --json.`,
    )
    .addHelpText(
      'after',
      examples('svc help lists add-contacts', 'svc help --man > svc.1 && man ./svc.1', 'svc help schema lists list'),
    )
    .action(
      run(
        noView,
        async (context, words, options) => {
          const { host, options: asked } = context
          if (options.man === true || options.markdown === true) {
            if (options.man === true && options.markdown === true)
              throw usageError('--man and --markdown exclude each other')
            if (words.length > 0) throw usageError('--man and --markdown print everything; they take no words')
            const { describe } = await import('./tree.ts')
            const { markdown } = await import('./markdown.ts')
            const { manualPage } = await import('./man.ts')
            const described = describe(program)
            return text(options.man === true ? manualPage(described, version) : markdown(described))
          }
          if (words[0] === 'schema')
            return text(await schemaOn(program, words.slice(1), (names) => shownBy(buildProgram, host, names)))
          if (asked.json === true || asked.output === 'json') return text(await commandsJson(context, program, words))
          const { writeText } = await import('../../output/sink.ts')
          await writeText(host.stdout, withHeadings(host, await helpOn(program, words, host)))
          return done()
        },
        { plain: 'json' },
      ),
    )
}

/** Commands and no topics. Throws exit 2 when the words name none. */
async function commandWords(program: CommandUnknownOpts, words: readonly string[]): Promise<CommandUnknownOpts> {
  const { operands } = readCommandLine(treeOf(program), words)
  if (operands.length > 0)
    throw usageError(
      `there is no command "${words.join(' ')}"; topics have no JSON form`,
      `commands: ${pathOf(program)} --help`,
    )
  return commandAt(program, words)
}

async function commandsJson(context: Context, program: CommandUnknownOpts, words: readonly string[]): Promise<string> {
  const { describe } = await import('./tree.ts')
  const { commandsAsJson } = await import('./json.ts')
  const command = describe(await commandWords(program, words))
  return asText(commandsAsJson(command, version, await context.policy()))
}

async function schemaOn(
  program: CommandUnknownOpts,
  words: readonly string[],
  shown: (names: readonly string[]) => Promise<ShownBy | undefined>,
): Promise<string> {
  const { toJsonSchema } = await import('@valibot/to-json-schema')
  const path = pathOf(await commandWords(program, words))
  const schema = await (await shown(path.split(' ').slice(1)))?.view.schema?.()
  if (schema === undefined) throw usageError(`"${path}" has no JSON form`, 'commands: svc help --json')
  return asText({ title: `${path} --json`, ...toJsonSchema(schema, { target: 'draft-2020-12', typeMode: 'output' }) })
}

function asText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}

async function helpOn(program: CommandUnknownOpts, words: readonly string[], host: Host): Promise<string> {
  const whole = treeOf(program)
  const { commands, operands } = readCommandLine(whole, words)
  const [unknown, ...rest] = operands
  if (unknown === undefined) return helpOf(commandAt(program, words))
  const { topics, topicText, topicsPage } = await import('./topics.ts')
  if (words.length === 1 && unknown === 'options') return optionsPage(program)
  if (words.length === 1 && unknown === 'topics') return topicsPage()
  const topic = words.length === 1 ? topics.find(({ name }) => name === unknown) : undefined
  if (topic !== undefined) return topicText(topic, Math.min(pageWidth, host.columns() ?? pageWidth))
  const names = topics.map(({ name }) => name)
  const isFirst = commands.length === 1
  const near = isFirst ? closest(unknown, ['options', 'topics', ...names]) : undefined
  const { meantCommand } = await import('../usage.ts')
  const meant =
    near === undefined
      ? await meantCommand(commands, [unknown, ...rest], () => Promise.resolve(whole))
      : `svc help ${near}`
  throw usageError(
    `there is no command or topic "${[...commands.slice(1).map(({ name }) => name), unknown].join(' ')}"`,
    [
      ...(meant === undefined ? [] : [`did you mean ${meant}?`]),
      isFirst ? `topics: ${names.join(', ')}\ncommands: svc --help` : `see: ${commands.at(-1)?.path ?? 'svc'} --help`,
    ].join('\n'),
  )
}
