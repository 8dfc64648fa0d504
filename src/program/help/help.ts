/** `svc help`: the help of a command, or a topic. */
import { defineVerb, type Commands, type Verb } from '../../cli/verb.ts'
import { SvcError } from '../../errors.ts'
import { join } from '../../message.ts'
import { text } from '../../output/result.ts'
import { writeBytes } from '../../output/sink.ts'
import { newLine } from '../options.ts'
import { parse } from '../parse.ts'
import { pageWidth, topicNames } from './page.ts'

/** `svc help`, on the table that it is a part of. */
export function helpOn(commands: Commands): Verb {
  return defineVerb({
    description: 'Print the help of a command or a topic.',
    examples: ['svc help lists add-contacts', 'svc help bulk'],
    arguments: [
      {
        name: 'words',
        summary: `a command (lists add-contacts) or a topic (${topicNames.join(', ')})`,
        isVariadic: true,
      },
    ],
    options: { all: { summary: 'with the advanced options of the command' } },
    effect: 'reads',
    plain: true,
    run: async ({ host }, [typed], { all }) => {
      // Words in quotes are words too.
      const words = typed.flatMap((each) => each.split(' '))
      const { readTopics, topicText } = await import('./topics.ts')
      const topic = readTopics().find(({ name }) => name === words.join(' '))
      const columns = Math.min(pageWidth, host.columns() ?? pageWidth)
      if (topic !== undefined) return text(topicText(topic, columns))
      const asked = [...words, '--help', ...(all === true ? ['--all'] : [])]
      const answer = await parse(host, commands, newLine(asked)).catch(withTopics)
      if (answer.kind !== 'text') throw new TypeError('--help ran a command')
      // Unchanged, because headings are bold on a terminal.
      await writeBytes(host, host.stdout, [Buffer.from(answer.text)])
      return text('')
    },
  })
}

function withTopics(error: unknown): never {
  if (!(error instanceof SvcError)) throw error
  const topics = `topics: ${topicNames.join(', ')}`
  throw error.with({ hint: join([error.details.hint, topics], '\n') })
}
