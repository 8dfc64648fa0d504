/** Files that a run writes for its user: whole in their place or not there, and never over a file of anybody else. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { checkPlace, noFiles, OutputFile } from '../../src/bulk/files/output-file.ts'
import { SvcError } from '../../src/errors.ts'
import { nodeHost } from '../../src/host.ts'
import { refusal } from '../ids/inputs.ts'
import { fileHandles, stateFolders } from './recorded.ts'

const host = nodeHost(process)
const folders = stateFolders()
const handles = await fileHandles()
afterEach(() => {
  vi.restoreAllMocks()
})

const sumOf = (text: string): string => createHash('sha256').update(text).digest('hex')
const known = (path: string, ...texts: readonly string[]) => new Map([[path, new Set(texts.map(sumOf))]])

/** A folder of its own and a place in it. */
function place(name = 'out.csv'): { dir: string; path: string } {
  const dir = folders.next()
  mkdirSync(dir)
  return { dir, path: join(dir, name) }
}

const open = (path: string, tag = 'tag'): Promise<OutputFile> => OutputFile.open(host, { path, kind: 'receipts' }, tag)

describe('a file', () => {
  it('is written beside its place, synced, and moved there whole', async () => {
    const { dir, path } = place()
    const file = await open(path)
    expect(readdirSync(dir)).toEqual(['.out.csv.tag.part'])
    expect(statSync(join(dir, '.out.csv.tag.part')).mode & 0o777).toBe(0o600)
    expect(file.isEmpty).toBe(true)
    await file.write('é')
    await file.write(Buffer.from('\n'))
    expect(file.isEmpty).toBe(false)
    expect(existsSync(path)).toBe(false)
    const syncing = vi.spyOn(handles, 'sync')
    expect(await file.finish(7)).toEqual({ t: 'file', at: 7, kind: 'receipts', path, sha256: sumOf('é\n') })
    expect([syncing.mock.calls.length, readdirSync(dir)]).toEqual([1, ['.out.csv.tag.part']])
    await file.place(noFiles)
    // The folder has its name.
    expect([syncing.mock.calls.length, readdirSync(dir)]).toEqual([2, ['out.csv']])
    expect(readFileSync(path, 'utf8')).toBe('é\n')
  })

  it('of a process that has lost its lock by then does not come to its place', async () => {
    const { dir, path } = place()
    const file = await open(path)
    await file.write('of the one before')
    await file.finish(0)
    writeFileSync(path, 'of its successor')
    const lost = new Error('lost')
    file.guard = {
      check: () => Promise.resolve(),
      recheck: () => Promise.reject(lost),
    }
    await expect(file.place(known(path, 'of its successor'))).rejects.toBe(lost)
    await file.discard()
    expect([readdirSync(dir), readFileSync(path, 'utf8')]).toEqual([['out.csv'], 'of its successor'])
  })

  it('that is discarded leaves nothing, also after it was finished, and what is in place stays', async () => {
    const { dir, path } = place()
    await (await open(path)).discard()
    const file = await open(path)
    await file.finish(0)
    await file.discard()
    expect(readdirSync(dir)).toEqual([])
    const kept = await open(path)
    await kept.write('kept')
    await kept.finish(0)
    await kept.place(noFiles)
    await kept.discard()
    expect(readdirSync(dir)).toEqual(['out.csv'])
  })
})

it('of a process that lost its lock is neither moved nor removed', async () => {
  const { dir, path } = place()
  const file = await open(path)
  const lost = new SvcError('busy', 'run R was taken over')
  file.guard = { check: () => Promise.reject(lost), recheck: () => Promise.reject(lost) }
  await file.finish(0)
  await expect(file.place(noFiles)).rejects.toBe(lost)
  await file.discard()
  expect(readdirSync(dir)).toEqual(['.out.csv.tag.part'])
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
      whose === noFiles ? noFiles : whose === 'changed' ? known(path, 'yours') : known(join(dir, 'x.csv'), 'mine')
    const error = await refusal(checkPlace(host, { path, kind: 'rejects' }, own))
    expect(error.exitCode).toBe(2)
    expect(error.message).toBe(`the rejects file "${path}" ${words}`)
    const file = await open(path)
    await file.finish(0)
    // Once something was sent, a place that is taken is a local file that failed.
    expect((await refusal(file.place(own))).exitCode).toBe(10)
    expect(readFileSync(path, 'utf8')).toBe('mine')
    await file.discard()
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
