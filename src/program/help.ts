/** `svc help`: prints the help of a command, or a topic, which is a page of `docs/topics`. */
import { stripVTControlCharacters } from 'node:util'
import idFiles from '../../docs/topics/id-files.md'
import bulk from '../../docs/topics/bulk.md'
import spreadsheets from '../../docs/topics/spreadsheets.md'
import configuration from '../../docs/topics/configuration.md'
import scripting from '../../docs/topics/scripting.md'
import exitCodes from '../../docs/topics/exit-codes.md'
import { defineVerb, type CommandTable, type Verb } from '../cli/verb.ts'
import { SvcError, join } from '../errors.ts'
import { text } from '../output/result.ts'
import { wrap } from '../output/text.ts'
import { pageWidth, parse, topicNames } from './parse.ts'

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
    options: { all: { summary: 'with the advanced options of the command' } },
    effect: 'reads',
    printsOwnText: true,
    run: async ({ host, line }, [typed], { all }) => {
      // Somebody may quote a whole command.
      const words = typed.flatMap((word) => word.split(' '))
      const topic = readTopics().find(({ name }) => name === words.join(' '))
      const columns = Math.min(pageWidth, host.columns() ?? pageWidth)
      if (topic !== undefined) return text(topicText(topic, columns))
      const asked = [...words, '--help', ...(all === true ? ['--all'] : [])]
      const askedLine = { ...line, words: asked, path: '' }
      const answer = await parse(host, table, askedLine).catch(withTopics)
      if (answer.kind !== 'text') throw new TypeError('--help ran a command')
      // The headings are bold on a terminal. An output of a verb cannot have escape sequences.
      return text(stripVTControlCharacters(answer.text))
    },
  })
}

/** Throws the error again, and adds the topics to its hint. */
function withTopics(error: unknown): never {
  if (!(error instanceof SvcError)) throw error
  const topics = `topics: ${topicNames.join(', ')}`
  throw error.with({ hint: join([error.details.hint, topics], '\n') })
}

const pages: Readonly<Record<(typeof topicNames)[number], string>> = {
  'id-files': idFiles,
  bulk,
  spreadsheets,
  configuration,
  scripting,
  'exit-codes': exitCodes,
}

/** Turns Markdown into plain text. Code blocks are indented, and code in a sentence loses its backticks. */
function plainText(markdown: string) {
  const parts = markdown.split(/^```(?:text|sh)?\n/m)
  const plain = parts.map((part, index) => {
    // Code is between two fences.
    const isCode = index % 2 === 1
    return isCode
      ? part.replace(/^(?=.)/gm, '  ')
      : part.replaceAll('`', '').replaceAll('\\.', '.').replace(/^## /gm, '')
  })
  return plain.join('').trim()
}

interface Topic {
  name: string
  title: string
  text: string
}

export function readTopics(): Topic[] {
  return Object.entries(pages).map(([name, page]) => {
    const [title = '', ...paragraphs] = plainText(page).split('\n\n')
    return { name, title: title.replace('# ', ''), text: paragraphs.join('\n\n') }
  })
}

/** Wraps the text of a topic. Indented blocks keep their lines, and each item of a list starts a line. */
export function topicText({ title, text }: Topic, width: number): string {
  const blocks = text.split('\n\n').map((block) => {
    if (block.startsWith('  ')) return block
    const items = block.split(/\n(?=- )/).map((item) => item.replaceAll(/\n */g, ' '))
    const indent = block.startsWith('- ') ? '  ' : ''
    const lines = items.map((item) => wrap(item, width - indent.length).join(`\n${indent}`))
    return lines.join('\n')
  })
  return `${title}.\n\n${blocks.join('\n\n')}\n`
}
