/** `svc help`: prints the help of a command, or a topic, which is a page of `docs/topics`. */
import idFiles from '../../docs/topics/id-files.md'
import bulk from '../../docs/topics/bulk.md'
import spreadsheets from '../../docs/topics/spreadsheets.md'
import configuration from '../../docs/topics/configuration.md'
import scripting from '../../docs/topics/scripting.md'
import exitCodes from '../../docs/topics/exit-codes.md'
import { defineVerb, topicNames } from '../cli/verb.ts'
import { plainText } from '../output/result.ts'

/** The pages of Markdown, by the names of their topics. They are printed as they are. */
export const topics: Readonly<Record<(typeof topicNames)[number], string>> = {
  'id-files': idFiles,
  bulk,
  spreadsheets,
  configuration,
  scripting,
  'exit-codes': exitCodes,
}

export const verb = defineVerb({
  summary: 'help on a command or a topic',
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
  formats: ['table'],
  act: async ({ help }, [words]) => {
    const topic = topicNames.find((name) => name === words.join(' '))
    return plainText(topic === undefined ? await help(words) : topics[topic])
  },
})
