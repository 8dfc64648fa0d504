/** `svc help`: the verb itself, its topics, the manual page and the reference. `nouns.ts` loads it. */
import { join, say, svcAsItIs } from '../../message.ts'
import type { GenericSchema } from 'valibot'
import { defineCommand, type Command, summaries } from '../../cli/command.ts'
import type { Context } from '../../cli/context.ts'
import { usageError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { done, noView, text } from '../../output/result.ts'
import { version } from '../../version.ts'
import { closest } from '../../words.ts'
import { readCommandLine } from '../command-line.ts'
import { wholeOf, type Tree, type WholeTree } from '../tree.ts'
import { withHeadings } from '../before-parsing.ts'
import { withGlobalOptions } from '../global-options.ts'
import type { JsonSchema } from './json.ts'
import { helpOf, optionsPage, pageWidth } from './page.ts'

/** `svc help`, on the tree that it is a part of. */
export function helpCommand(nouns: Tree): Command {
  const program = withGlobalOptions(nouns)
  return defineCommand({
    path: 'help',
    summary: summaries.help,
    description: 'Print the help of a command or a topic, the manual page, or the whole reference.',
    notes: `With --json, svc help prints the commands with their options, types, values
and defaults. svc help schema <command> prints the JSON Schema of what that
command writes with --json, or with --json and the same --fields; alone it
lists the commands that have one.`,
    examples: [
      'svc help lists add-contacts',
      'svc help --man > svc.1 && man ./svc.1',
      'svc help schema lists list',
    ],
    arguments: [
      {
        name: 'words',
        takes: 'words of help',
        summary: 'a command (lists add-contacts), a topic, "options" or "topics"',
        isVariadic: true,
      },
    ],
    options: {
      all: { summary: 'with the advanced options of the command' },
      man: { summary: 'print the manual page, as roff' },
      markdown: { summary: 'print the reference of all commands, as Markdown' },
    },
    effect: 'reads',
    shows: noView,
    plain: 'json',
    run: async (context, typed, options) => {
      // Words in quotes are words too.
      const words = typed.flatMap((text) => text.split(' '))
      const { host, line, options: asked } = context
      if (options.man === true || options.markdown === true) {
        if (options.man === true && options.markdown === true)
          throw usageError('--man and --markdown exclude each other')
        if (words.length > 0)
          throw usageError('--man and --markdown print everything; they take no words')
        const { manualPage, markdown } = await import('./manual.ts')
        const whole = await wholeOf(program)
        return text(options.man === true ? manualPage(whole, version) : markdown(whole))
      }
      if (words[0] === 'schema') return text(await schemaOn(program, words.slice(1), asked.fields))
      if (asked.json === true || asked.output === 'json')
        return text(await commandsJson(context, program, words))
      const { writeText } = await import('../../output/sink.ts')
      const page = await helpOn(program, words, { host, isAll: options.all === true })
      await writeText(host, host.stdout, withHeadings(host, line, page))
      return done()
    },
  })
}

/** Commands and no topics. Throws exit 2 when the words name none. */
async function commandNamed(program: Tree, words: readonly string[]): Promise<WholeTree> {
  const { command, operands } = await readCommandLine(program, words)
  if (operands.length === 0) return wholeOf(command)
  throw usageError(
    `there is no command "${words.join(' ')}"; topics have no JSON form`,
    say`commands: ${svcAsItIs('--help')}`,
  )
}

async function commandsJson(
  context: Context,
  program: Tree,
  words: readonly string[],
): Promise<string> {
  const { commandsAsJson } = await import('./json.ts')
  const tree = await commandNamed(program, words)
  const policy = await context.policy()
  return asText(commandsAsJson(tree, version, policy))
}

/** `fields`: as typed with `--fields`, for the schema of what is written with them. */
async function schemaOn(
  program: Tree,
  words: readonly string[],
  fields: string | undefined,
): Promise<string> {
  const { toJsonSchema } = await import('@valibot/to-json-schema')
  const toJson = (schema: GenericSchema): JsonSchema =>
    toJsonSchema(schema, { target: 'draft-2020-12', typeMode: 'output' })
  const isOfErrors = words.join(' ') === 'errors'
  if (fields !== undefined && (isOfErrors || words.length === 0))
    throw usageError('--fields needs the command whose fields they are')
  if (isOfErrors) {
    const { StderrLine } = await import('../../cli/schemas.ts')
    return asText({ title: 'a line on stderr with --error-format json', ...toJson(StderrLine) })
  }
  const tree = await commandNamed(program, words)
  if (words.length === 0)
    return `${[...commandsWithSchema(tree), 'svc help schema errors'].join('\n')}\n`
  const { path, command } = tree
  const schema = await command?.shows.schema?.()
  if (command === undefined || schema === undefined)
    throw usageError(
      `"${path}" has no JSON form`,
      say`commands that have one: ${svcAsItIs('help schema')}`,
    )
  if (fields === undefined) return asText({ title: `${path} --json`, ...toJson(schema) })
  const { projectedSchema } = await import('./json.ts')
  const projection = await projectedSchema(command, fields, toJson)
  return asText({ title: `${path} --json --fields ${fields}`, ...projection })
}

/** Lines to be typed, one for each command whose JSON has a schema. */
function commandsWithSchema({ path, command, commands }: WholeTree): string[] {
  const own = command?.shows.schema === undefined ? [] : [path.replace(/^svc/, 'svc help schema')]
  return [...own, ...commands.flatMap(commandsWithSchema)]
}

function asText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}

async function helpOn(
  program: Tree,
  words: readonly string[],
  { host, isAll }: { readonly host: Host; readonly isAll: boolean },
): Promise<string> {
  const columns = host.columns()
  const { commands, command, operands } = await readCommandLine(program, words)
  const [unknown] = operands.map(({ word }) => word)
  if (unknown === undefined) return helpOf(command, { columns, isAll })
  const { topicOf, topics, topicText, topicsPage } = await import('./topics.ts')
  if (words.length === 1 && unknown === 'options') return optionsPage(program, columns)
  if (words.length === 1 && unknown === 'topics') return topicsPage()
  const topic = words.length === 1 ? topicOf(unknown) : undefined
  if (topic !== undefined) return topicText(topic, Math.min(pageWidth, columns ?? pageWidth))
  const names = topics.map(({ name }) => name)
  const isFirst = commands.length === 1
  const near = isFirst ? closest(unknown, ['options', 'topics', ...names]) : undefined
  const { meantCommand, seeHelp } = await import('../usage.ts')
  const meant = near === undefined ? meantCommand(command, unknown) : [svcAsItIs(`help ${near}`)]
  const suggestion = meant === undefined ? undefined : say`did you mean ${meant}?`
  const see = isFirst
    ? say`topics: ${names.join(', ')}\ncommands: ${svcAsItIs('--help')}`
    : seeHelp(command)
  const [, ...nouns] = commands.map(({ name }) => name)
  throw usageError(
    `there is no command or topic "${[...nouns, unknown].join(' ')}"`,
    join([suggestion, see], '\n'),
  )
}
