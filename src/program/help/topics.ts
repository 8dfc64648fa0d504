/**
 * The topics of `svc help <topic>`: the pages in `docs/topics`.
 */
import idFiles from '../../../docs/topics/id-files.md'
import bulk from '../../../docs/topics/bulk.md'
import spreadsheets from '../../../docs/topics/spreadsheets.md'
import configuration from '../../../docs/topics/configuration.md'
import scripting from '../../../docs/topics/scripting.md'
import exitCodes from '../../../docs/topics/exit-codes.md'
import { wrap } from '../../output/text/width.ts'
import type { topicNames } from './page.ts'

type TopicName = (typeof topicNames)[number]

const pages: Readonly<Record<TopicName, string>> = {
  'id-files': idFiles,
  bulk,
  spreadsheets,
  configuration,
  scripting,
  'exit-codes': exitCodes,
}

/** A page of Markdown as plain text: code blocks are indented, and code in a sentence loses its backticks. */
function plainText(markdown: string) {
  const parts = markdown.split(/^```(?:text|sh)?\n/m)
  const plain = parts.map((part, index) =>
    index % 2 === 1
      ? part.replace(/^(?=.)/gm, '  ')
      : part.replaceAll('`', '').replaceAll('\\.', '.').replace(/^## /gm, ''),
  )
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

/** A topic, wrapped; indented blocks keep their lines, and each item of a list begins one. */
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
