/** `svc help`: the help of a command, topics, and all commands as JSON. */
import { globalOptions } from '../../cli/global-options.ts'
import { defineVerb, namesBelow, type Commands, type Verb } from '../../cli/verb.ts'
import { SvcError, usageError } from '../../errors.ts'
import { join } from '../../message.ts'
import type { Host } from '../../host.ts'
import { text } from '../../output/result.ts'
import { writeBytes } from '../../output/sink.ts'
import { version } from '../../version.ts'
import { parse } from '../parse.ts'
import { optionsPage, pageWidth } from './page.ts'
import { longFlag } from '../../options.ts'

/** `svc help`, on the table that it is a part of. */
export function helpOn(commands: Commands): Verb {
  const rows = { ...commands.nouns, ...commands.verbs }
  return defineVerb({
    description: 'Print the help of a command or a topic.',
    notes: `With --json, svc help prints the commands with their options, types, values
and defaults.`,
    examples: ['svc help lists add-contacts', 'svc help bulk'],
    arguments: [
      {
        name: 'words',
        summary: 'a command (lists add-contacts), a topic, "options" or "topics"',
        isVariadic: true,
      },
    ],
    options: { all: { summary: 'with the advanced options of the command' } },
    effect: 'reads',
    plain: 'json',
    run: async (context, [typed], { all }) => {
      // Words in quotes are words too.
      const path = typed.flatMap((each) => each.split(' ')).join(' ')
      const { host, options } = context
      const isCommand = path === '' || Object.hasOwn(rows, path)
      if (options.json === true || options.output === 'json') {
        if (!isCommand) throw await unknownWords(host, commands, path)
        const document = await commandsAsJson(commands, path)
        return text(`${JSON.stringify(document, undefined, 2)}\n`)
      }
      const line = `${path} --help ${all === true ? '--all' : ''}`.trim()
      const answer = isCommand
        ? await parse(host, commands, line.split(' '))
        : { kind: 'text' as const, text: await topicPage(host, commands, path) }
      if (answer.kind !== 'text') throw new TypeError('--help ran a command')
      // Unchanged, because headings are bold on a terminal.
      await writeBytes(host, host.stdout, [Buffer.from(answer.text)])
      return text('')
    },
  })
}

/** The text of a topic. Throws exit 2 for words that name none. */
async function topicPage(host: Host, commands: Commands, word: string) {
  const { readTopics, topicText, topicsPage } = await import('./topics.ts')
  const topics = readTopics()
  const columns = Math.min(pageWidth, host.columns() ?? pageWidth)
  if (word === 'options') return optionsPage(columns)
  if (word === 'topics') return topicsPage(topics)
  const topic = topics.find(({ name }) => name === word)
  if (topic !== undefined) return topicText(topic, columns)
  throw await unknownWords(host, commands, word)
}

/** The error for words that are neither a command nor a topic: commander's own, if it knows which word is wrong. */
async function unknownWords(host: Host, commands: Commands, words: string) {
  const topics = 'topics: svc help topics'
  try {
    await parse(host, commands, [...words.split(' '), '--help'])
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    return error.with({ hint: join([error.details.hint, topics], '\n') })
  }
  return usageError(
    `there is no command or topic "${words}"`,
    `${topics}\ncommands: svc --help`,
  )
}

/** A form that programs may rely on: members are added, never renamed or taken away, while `schema` stays. */
async function commandsAsJson(commands: Commands, path: string) {
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
