/** Files that a run writes for its user: whole in their place or not there, and never over a file of anybody else. */
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkPlace, isDraft, noFiles, OutputFile } from '../../src/bulk/files/output-file.ts'
import { formatOfReceipts } from '../../src/bulk/files/receipts.ts'
import { SvcError } from '../../src/errors.ts'
import { nodeHost } from '../../src/host.ts'
import { refusal } from '../input/inputs.ts'
import { stateFolders } from './recorded.ts'

const host = nodeHost(process)
const folders = stateFolders()

const sumOf = (text: string): string => createHash('sha256').update(text).digest('hex')
const known = (path: string, ...texts: readonly string[]) =>
  new Map([[path, new Set(texts.map(sumOf))]])

/** A folder of its own and a place in it. */
function place(name = 'out.csv'): { dir: string; path: string } {
  const dir = folders.next()
  mkdirSync(dir)
  return { dir, path: join(dir, name) }
}

const open = (path: string, tag = 'tag'): Promise<OutputFile> =>
  OutputFile.open(host, { path, kind: 'receipts' }, tag)

describe('of a process that has lost its lock', () => {
  const lost = new SvcError('busy', 'run R was taken over')
  const recheck = () => Promise.reject(lost)

  it('by the time it is moved does not come to its place', async () => {
    const { dir, path } = place()
    const file = await open(path)
    await file.write('of the one before')
    await file.finish(0)
    writeFileSync(path, 'of its successor')
    file.guard = { check: () => Promise.resolve(), recheck }
    await expect(file.place(known(path, 'of its successor'))).rejects.toBe(lost)
    await file.discard()
    expect([readdirSync(dir), readFileSync(path, 'utf8')]).toEqual([
      ['out.csv'],
      'of its successor',
    ])
  })

  it('before is neither moved nor removed', async () => {
    const { dir, path } = place()
    const file = await open(path)
    file.guard = { check: () => Promise.reject(lost), recheck }
    await file.finish(0)
    await expect(file.place(noFiles)).rejects.toBe(lost)
    await file.discard()
    expect(readdirSync(dir)).toEqual(['.out.csv.tag.part'])
  })
})

describe('its place', () => {
  it.each([
    ['anybody else’s file', noFiles, 'exists already'],
    ['what this run wrote elsewhere', 'elsewhere', 'exists already'],
    ['what this run wrote, changed since', 'changed', 'was changed since this run wrote it'],
  ] as const)('with %s in it is exit 2', async (_, whose, words) => {
    const { dir, path } = place()
    writeFileSync(path, 'mine')
    const own =
      whose === noFiles
        ? noFiles
        : whose === 'changed'
          ? known(path, 'yours')
          : known(join(dir, 'x.csv'), 'mine')
    const error = await refusal(checkPlace(host, { path, kind: 'receipts' }, own))
    expect(error.exitCode).toBe(2)
    expect(error.message).toBe(`the receipts file "${path}" ${words}`)
    const file = await open(path)
    await file.finish(0)
    // Once something was sent, a place that is taken is a local file that failed.
    expect((await refusal(file.place(own))).exitCode).toBe(10)
    expect(readFileSync(path, 'utf8')).toBe('mine')
    await file.discard()
  })

  it.each([
    ['out.csv', 'out-2.csv'],
    ['out.part.ndjson', 'out.part-2.ndjson'],
    ['out', 'out-2'],
  ])('of %s is taken: %s is named instead', async (name, another) => {
    const { dir, path } = place(name)
    writeFileSync(path, 'mine')
    const error = await refusal(checkPlace(host, { path, kind: 'receipts' }, noFiles))
    expect(error.details.hint).toMatch(new RegExp(`\\n  --receipts ${join(dir, another)}$`))
  })

  it('that leads elsewhere is not written through', async () => {
    const { dir, path } = place()
    writeFileSync(join(dir, 'target'), 'mine')
    symlinkSync(join(dir, 'target'), path)
    expect((await refusal(checkPlace(host, { path, kind: 'receipts' }, noFiles))).exitCode).toBe(2)
    symlinkSync(join(dir, 'nothing'), join(dir, 'broken.csv'))
    const file = await open(join(dir, 'broken.csv'))
    await file.finish(0)
    expect((await refusal(file.place(noFiles))).message).toContain('exists already')
    await file.discard()
    expect(existsSync(join(dir, 'nothing'))).toBe(false)
  })

  it('with what this run wrote is replaced whole', async () => {
    const { dir, path } = place()
    writeFileSync(path, 'before')
    const file = await open(path)
    await file.write('after')
    await file.finish(0)
    expect(readFileSync(path, 'utf8')).toBe('before')
    await file.place(known(path, 'before'))
    expect([readFileSync(path, 'utf8'), readdirSync(dir)]).toEqual(['after', ['out.csv']])
  })
})

it('the draft of a run is known by the id of the run', () => {
  const [run, token] = ['20260301T101500Z-7f3a', '0123456789abcdef']
  expect(isDraft(`/a/.out.csv.${run}.${token}.part`, run)).toBe(true)
  for (const other of [
    `/a/.out.csv.20260301T101500Z-0000.${token}.part`,
    `/a/out.csv.${run}.${token}.part`,
    `/a/.out.csv.${run}.${token}`,
    `/a/.out.csv.${run}.part`,
    `/a/.out.csv.${run}.${token}.part/more`,
  ])
    expect([other, isDraft(other, run)]).toEqual([other, false])
})

it('receipts are of the format that their ending names, in either letter case', () => {
  const names = ['r.csv', 'R.CSV', 'r.old.XLSX', 'r.NDJSON']
  expect(names.map(formatOfReceipts)).toEqual(['csv', 'csv', 'xlsx', 'ndjson'])
  for (const name of ['r.txt', 'csv', 'r.csv.gz']) {
    expect(() => formatOfReceipts(name)).toThrow('takes a file that ends in')
  }
})
