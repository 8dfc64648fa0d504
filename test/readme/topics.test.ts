/** Parts of the pages in `docs/topics` that come from the registries: `npm run docs` writes them before the manual page. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bulkOperations } from '../../src/api/operations.ts'
import { acceptableOf, outcomeFacts, outcomes } from '../../src/runs/outcomes.ts'
import { commandOf, operationOf } from '../../src/runs/operations/operations.ts'
import { wrap } from '../../src/output/text/width.ts'
import { root } from '../svc.ts'
import { pageAt } from './pages.ts'

const bulkCommands = bulkOperations.map((name) =>
  operationOf(name).pairs === undefined ? commandOf(name) : `${commandOf(name)} --file`,
)

/** A line for each operation with outcomes that its `--accept` takes. */
const acceptable = bulkOperations.flatMap((name) => {
  const outcomes = acceptableOf(name)
  return outcomes.length === 0 ? [] : [`${commandOf(name).padEnd(20)}${outcomes.join(', ')}`]
})

const outcomeWidth = Math.max(...outcomes.map(({ length }) => length)) + 2

/** A line or more for each outcome, what is done first. */
const outcomeLines = outcomes
  .toSorted((a, b) => Number(outcomeFacts(b).isDone) - Number(outcomeFacts(a).isDone))
  .flatMap((outcome) =>
    wrap(outcomeFacts(outcome).meaning, 54).map(
      (line, at) => `${(at === 0 ? outcome : '').padEnd(outcomeWidth)}${line}`,
    ),
  )

const fence = '```text\n'
const end = '\n```'

/** A part of a page between two texts. */
const parts: Readonly<Record<string, readonly [before: string, text: string, behind: string][]>> = {
  bulk: [
    [`through many ids:\n\n${fence}`, bulkCommands.join('\n'), end],
    [`gets one outcome:\n\n${fence}`, outcomeLines.join('\n'), end],
    [`for the exit code:\n\n${fence}`, acceptable.join('\n'), end],
  ],
}

test.each(Object.keys(parts))('topic %s', async (topic) => {
  const { path, text } = pageAt(`docs/topics/${topic}.md`)
  const filled = (parts[topic] ?? []).reduce((page, [before, part, behind]) => {
    const from = page.indexOf(before) + before.length
    const to = page.indexOf(behind, from)
    expect([from >= before.length, to > 0], before).toEqual([true, true])
    return `${page.slice(0, from)}${part}${page.slice(to)}`
  }, text)
  await expect(filled).toMatchFileSnapshot(join(root, path))
})
