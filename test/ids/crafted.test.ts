/** What becomes of workbooks that are made to deceive. With SVC_CRAFTED they are kept in that folder, with what was read. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SvcError } from '../../src/errors.ts'
import { crafted } from './crafted.ts'
import { read } from './inputs.ts'

/** The ids with their rows, or the refusal. */
async function outcomeOf(bytes: Buffer): Promise<readonly (readonly [string, number])[] | string> {
  try {
    const { ids } = await read(bytes)
    return [...ids].map((id, n) => [id, ids.line(n)] as const)
  } catch (error) {
    if (error instanceof SvcError && error.exitCode === 2) return error.message
    throw error
  }
}

test('each is read as it is shown, or refused with what is wrong', async () => {
  const all = crafted()
  const seen = await Promise.all(all.map(async ({ bytes }) => outcomeOf(bytes)))
  const wrong = all.flatMap(({ name, verdict }, n) => {
    const found = seen[n] ?? ''
    const isRight =
      typeof found === 'string'
        ? typeof verdict === 'string' && found.includes(verdict)
        : typeof verdict !== 'string' && found.map(([id]) => id).join() === verdict.join()
    return isRight ? [] : [{ name, verdict, found }]
  })
  expect(wrong).toEqual([])
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
  expect(all.length).toBeGreaterThan(300)
  const folder = process.env['SVC_CRAFTED']
  if (folder === undefined) return
  all.forEach(({ bytes }, n) => {
    writeFileSync(join(folder, `${n}.xlsx`), bytes)
  })
  writeFileSync(join(folder, 'read.json'), JSON.stringify(all.map(({ name }, n) => ({ name, read: seen[n] }))))
})
