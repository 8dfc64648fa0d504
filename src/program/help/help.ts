/**
 * `svc help`: the help of a command, topics, and all commands as JSON. `program/verbs.ts` loads it.
 */
import { say, svcAsItIs } from '../../message.ts'
import { defineVerb, type Verb } from '../../cli/verb.ts'
import type { Context } from '../../cli/context.ts'
import { usageError } from '../../errors.ts'
import { done, noView, text } from '../../output/result.ts'
import { writeText } from '../../output/sink.ts'
import { closest } from '../../words.ts'
import { readWords } from '../options.ts'
import type { Commands } from '../commands.ts'
import { parse } from '../parse.ts'
import { optionsPage, pageWidth } from './page.ts'

/** `svc help`, on the table that it is a part of. */
export const helpOn = (commands: Commands): Verb =>
  defineVerb({
    description: 'Print the help of a command or a topic.',
    notes: `With --json, svc help prints the commands with their options, types, values
and defaults.`,
    examples: ['svc help lists add-contacts', 'svc help bulk'],
    arguments: [
      {
        name: 'words',
        takes: 'words of help',
        summary: 'a command (lists add-contacts), a topic, "options" or "topics"',
        isVariadic: true,
      },
    ],
    options: { all: { summary: 'with the advanced options of the command' } },
    effect: 'reads',
    shows: noView,
    plain: 'json',
    run: async (context, [typed], { all }) => {
      // Words in quotes are words too.
      const path = typed.flatMap((each) => each.split(' ')).join(' ')
      const { json, output } = context.options
      if (json === true || output === 'json') return text(await commandsJson(commands, path))
      const page = isCommand(commands, path)
        ? await helpOf(
            context,
            commands,
            all === true ? `${path} --help --all` : `${path} --help`,
          )
        : await pageOf(context, commands, path)
      // As it is: headings are bold on a terminal.
      await writeText(context.host, context.host.stdout, page)
      return done()
    },
  })

function isCommand({ nouns, verbs }: Commands, path: string): boolean {
  return path === '' || Object.hasOwn(nouns, path) || Object.hasOwn(verbs, path)
}

async function commandsJson(commands: Commands, path: string): Promise<string> {
  if (!isCommand(commands, path))
    throw usageError(
      `there is no command "${path}"; topics have no JSON form`,
      say`commands: ${svcAsItIs('--help')}`,
    )
  const { commandsAsJson } = await import('./json.ts')
  return `${JSON.stringify(await commandsAsJson(commands, path), undefined, 2)}\n`
}

/** The help of a command, as `--help` prints it. */
async function helpOf({ host }: Context, commands: Commands, line: string): Promise<string> {
  const answer = await parse(host, commands, readWords(line.trim().split(' ')))
  if (answer.kind !== 'text') throw new TypeError('--help ran a command')
  return answer.text
}

/** The text of a topic. Throws exit 2 for words that name none. */
async function pageOf(
  { host }: Context,
  { nouns, verbs }: Commands,
  word: string,
): Promise<string> {
  const { topics, topicText, topicsPage } = await import('./topics.ts')
  const columns = Math.min(pageWidth, host.columns() ?? pageWidth)
  if (word === 'options') return optionsPage(columns)
  if (word === 'topics') return topicsPage()
  const topic = topics.find(({ name }) => name === word)
  if (topic !== undefined) return topicText(topic, columns)
  const names = topics.map(({ name }) => name)
  const known = ['options', 'topics', ...names, ...Object.keys({ ...nouns, ...verbs })]
  const near = closest(word, known)
  const meant = near === undefined ? '' : say`did you mean ${svcAsItIs(`help ${near}`)}?\n`
  throw usageError(
    `there is no command or topic "${word}"`,
    say`${meant}topics: ${names.join(', ')}\ncommands: ${svcAsItIs('--help')}`,
  )
}
