/** What becomes of workbooks that are made to deceive. With SVC_CRAFTED they are kept in that folder, with what was read. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SvcError } from '../../src/errors.ts'
import type { CellUse } from '../../src/ids/row.ts'
import { readPieces } from '../../src/ids/rows.ts'
import type { TableRule } from '../../src/ids/table.ts'
import { crafted } from './crafted.ts'
import { read, stdin } from './inputs.ts'

type Reading = readonly (readonly [text: string, row: number])[]

async function idsIn(bytes: Buffer): Promise<Reading> {
  const { ids } = await read(bytes)
  return [...ids].map((id, n) => [id, ids.line(n)] as const)
}

/** The cells of the second column that may decide, or why the first one may not. */
async function cellsIn(bytes: Buffer, use: CellUse): Promise<Reading | string> {
  const found: [string, number][] = []
  let problem: string | undefined
  const rule: TableRule<number> = {
    ...{ isTable: true, takesLists: false, takesUnmatched: true },
    isHeading: (cell) => cell === 'Title',
    columns: () => ({ find: (cells) => (cells[0] === 'Title' ? 1 : undefined), bare: () => 1 }),
    placesOf: (place) => [place],
    members: () => () => [],
  }
  for await (const piece of readPieces([stdin(bytes)], rule, { format: 'xlsx' })) {
    for (const { kind, cells, line, origin } of piece.kind === 'rows' ? piece.rows : []) {
      if (kind !== 'data') continue
      problem ??= origin?.unfit(1, use)
      if (origin?.unfit(1, use) === undefined) found.push([cells[1] ?? '', line])
    }
  }
  return problem ?? found
}

/** What was read with its rows, or the refusal. */
async function outcomeOf(bytes: Buffer, use: CellUse | undefined): Promise<Reading | string> {
  try {
    return await (use === undefined ? idsIn(bytes) : cellsIn(bytes, use))
  } catch (error) {
    if (error instanceof SvcError && error.exitCode === 2) return error.message
    throw error
  }
}

test('each is read as it is shown, or refused with what is wrong', async () => {
  const all = crafted()
  const seen = await Promise.all(all.map(async ({ bytes, use }) => outcomeOf(bytes, use)))
  const wrong = all.flatMap(({ name, verdict }, n) => {
    const found = seen[n] ?? ''
    const isRight =
      typeof found === 'string'
        ? typeof verdict === 'string' && found.includes(verdict)
        : typeof verdict !== 'string' && found.map(([text]) => text).join() === verdict.join()
    return isRight ? [] : [{ name, verdict, found }]
  })
  expect(wrong).toEqual([])
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
  expect(all.length).toBeGreaterThan(600)
  const folder = process.env['SVC_CRAFTED']
  if (folder === undefined) return
  all.forEach(({ bytes }, n) => {
    writeFileSync(join(folder, `${n}.xlsx`), bytes)
  })
  writeFileSync(
    join(folder, 'read.json'),
    JSON.stringify(all.map(({ name, use }, n) => ({ name, use, read: seen[n] }))),
  )
})
