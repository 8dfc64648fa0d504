/** `svc help`: prints the help of a command, or a topic, which is a page of `docs/topics`. */
import idFiles from '../../docs/topics/id-files.md'
import bulk from '../../docs/topics/bulk.md'
import spreadsheets from '../../docs/topics/spreadsheets.md'
import configuration from '../../docs/topics/configuration.md'
import scripting from '../../docs/topics/scripting.md'
import exitCodes from '../../docs/topics/exit-codes.md'
import { defineVerb, topicNames } from '../cli/verb.ts'
import { SvcError } from '../errors.ts'
import { plainText } from '../output/result.ts'
import { joinPresent } from '../words.ts'

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
  act: async ({ help }, [typed]) => {
    // Somebody may quote a whole command.
    const words = typed.flatMap((word) => word.split(' '))
    const topic = topicNames.find((name) => name === words.join(' '))
    if (topic !== undefined) return plainText(topics[topic])
    try {
      return plainText(await help(words))
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      const hint = joinPresent(
        [error.details.hint, `topics: ${topicNames.join(', ')}`],
        '\n',
      )
      throw error.with({ hint })
    }
  },
})
