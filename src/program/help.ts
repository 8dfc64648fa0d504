/** `svc help`: prints the help of a command, or a topic, which is a page of `docs/topics`. */
import { stripVTControlCharacters } from 'node:util'
import idFiles from '../../docs/topics/id-files.md'
import bulk from '../../docs/topics/bulk.md'
import spreadsheets from '../../docs/topics/spreadsheets.md'
import configuration from '../../docs/topics/configuration.md'
import scripting from '../../docs/topics/scripting.md'
import exitCodes from '../../docs/topics/exit-codes.md'
import { defineVerb, type CommandTable, type Verb } from '../cli/verb.ts'
import { SvcError } from '../errors.ts'
import { plainText } from '../output/result.ts'
import { joinPresent } from '../words.ts'
import { parse, topicNames } from './parse.ts'

/** Makes the verb from the table that it describes, of which it is a row itself. */
export function helpOn(table: CommandTable): Verb {
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
    effect: 'reads',
    printsOwnText: true,
    run: async ({ host, line }, [typed]) => {
      // Somebody may quote a whole command.
      const words = typed.flatMap((word) => word.split(' '))
      const topic = topicNames.find((name) => name === words.join(' '))
      if (topic !== undefined) return plainText(topics[topic])
      const askedLine = { ...line, words: [...words, '--help'], path: '' }
      const answer = await parse(host, table, askedLine).catch(withTopics)
      if (answer.kind !== 'text') throw new TypeError('--help ran a command')
      // The headings are bold on a terminal. An output of a verb cannot have escape sequences.
      return plainText(stripVTControlCharacters(answer.text))
    },
  })
}

/** Throws the error again, and adds the topics to its hint. */
function withTopics(error: unknown): never {
  if (!(error instanceof SvcError)) throw error
  const topics = `topics: ${topicNames.join(', ')}`
  throw error.with({ hint: joinPresent([error.details.hint, topics], '\n') })
}

/** The pages of Markdown, by the names of their topics. They are printed as they are. */
export const topics: Readonly<Record<(typeof topicNames)[number], string>> = {
  'id-files': idFiles,
  bulk,
  spreadsheets,
  configuration,
  scripting,
  'exit-codes': exitCodes,
}
