import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { lockHolder, takeLock, type LockHost } from '../../src/bulk/lock.ts'
import { buildBulk, says, type Program } from './child.ts'
import { refusal, temporaryFolder } from '../ids/inputs.ts'

const host: LockHost = { pid: process.pid, now: Date.now, random: Math.random, isRunning: () => true }
let folder: ReturnType<typeof temporaryFolder>
let program: Program
beforeAll(() => {
  program = buildBulk('bulk/lock.ts')
})
afterAll(() => {
  program.remove()
})
beforeEach(() => {
  folder = temporaryFolder()
  return () => {
    folder.remove()
  }
})

/** Takes the lock, says so, and holds it until its standard input ends. */
const holder = `
  import { takeLock } from './bulk.mjs'
  const host = { pid: process.pid, now: Date.now, random: Math.random }
  try {
    const lock = await takeLock(host, process.argv[2], 'R')
    console.log('taken')
    process.stdin.resume().on('end', async () => { await lock.release(); console.log('released') })
  } catch (error) {
    console.log(error.exitCode, error.message)
  }
`

it('is held until it is given back', async () => {
  const lock = await takeLock(host, folder.path, 'R')
  expect(await lockHolder(host, folder.path)).toBe(process.pid)
  const error = await refusal(takeLock(host, folder.path, 'R'))
  expect(error).toMatchObject({ category: 'local', exitCode: 10 })
  expect(error.message).toBe(`run R is being worked on by process ${process.pid}`)
  await lock.release()
  expect(await lockHolder(host, folder.path)).toBeUndefined()
  expect(readdirSync(folder.path)).toEqual([])
  await (await takeLock(host, folder.path, 'R')).release()
})

it('another process cannot take it, until this one ends in whatever way', async () => {
  const child = program.start(holder, [folder.path])
  await says(child, 'taken')
  expect((await refusal(takeLock(host, folder.path, 'R'))).message).toContain(`process ${child.pid}`)
  child.stdin?.end()
  expect((await child.finished).stdout).toContain('released')
  await (await takeLock(host, folder.path, 'R')).release()

  const killed = program.start(holder, [folder.path])
  await says(killed, 'taken')
  killed.kill('SIGKILL')
  await killed.finished
  expect(existsSync(join(folder.path, 'lock'))).toBe(true)
  expect(await lockHolder(host, folder.path)).toBeUndefined()
  const lock = await takeLock(host, folder.path, 'R')
  expect(await lockHolder(host, folder.path)).toBe(process.pid)
  await lock.release()
})

it('taken over again and again after kills', async () => {
  for (let n = 0; n < 5; n += 1) {
    const child = program.start(holder, [folder.path])
    await says(child, 'taken')
    expect(await lockHolder(host, folder.path)).toBe(child.pid)
    child.kill('SIGKILL')
    await child.finished
  }
  await (await takeLock(host, folder.path, 'R')).release()
})

it('of ten processes that want it at once, behind a stale one, one gets it', async () => {
  const stale = program.start(holder, [folder.path])
  await says(stale, 'taken')
  stale.kill('SIGKILL')
  await stale.finished
  const children = Array.from({ length: 10 }, () => program.start(holder, [folder.path]))
  const first = await Promise.all(
    children.map(
      (child) => new Promise<string>((done) => child.stdout?.once('data', (chunk: Buffer) => done(chunk.toString()))),
    ),
  )
  expect(first.filter((text) => text.startsWith('taken'))).toHaveLength(1)
  expect(first.filter((text) => text.startsWith('10 run R is being worked on by process'))).toHaveLength(9)
  for (const child of children) child.stdin?.end()
  await Promise.all(children.map(({ finished }) => finished))
})

function write(change: (holder: Record<string, unknown>) => Record<string, unknown>): void {
  const path = join(folder.path, 'lock')
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>)))
}

it.runIf(existsSync('/proc/self/stat'))(
  'a process of the same number that began at another time, or before a restart, is another one',
  async () => {
    await takeLock(host, folder.path, 'R')
    write((held) => ({ ...held, start: '1' }))
    expect(await lockHolder(host, folder.path)).toBeUndefined()
    write((held) => ({ ...held, start: null }))
    expect(await lockHolder({ ...host, isRunning: () => true }, folder.path)).toBe(process.pid)
    write((held) => ({ ...held, boot: '00000000-0000-0000-0000-000000000000' }))
    expect(await lockHolder({ ...host, isRunning: () => true }, folder.path)).toBeUndefined()
  },
)

it('a lock of someone else is not given back', async () => {
  const lock = await takeLock(host, folder.path, 'R')
  write((held) => ({ ...held, mark: 'abc' }))
  await lock.release()
  expect(existsSync(join(folder.path, 'lock'))).toBe(true)
})

it('a file that cannot be understood is not taken over', async () => {
  for (const content of ['', '{', '{"pid":1}', '{"pid":1,"at":2,"mark":"../../x"}']) {
    writeFileSync(join(folder.path, 'lock'), content)
    const error = await refusal(takeLock(host, folder.path, 'R'))
    expect(error.exitCode).toBe(10)
    expect(error.message).toContain('cannot be read')
    expect(error.details.hint).toContain('remove that file')
  }
})
