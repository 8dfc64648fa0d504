/** Locks between real processes: killed, stopped, in another pid namespace, many at once. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { takeLock } from '../../src/bulk/locks/take.ts'
import { findHolder, type LockHost } from '../../src/bulk/locks/lock-file.ts'
import { isSamePlace, readPlace } from '../../src/bulk/locks/place.ts'
import { nodeHost } from '../../src/host.ts'
import { refusal, temporaryFolder } from '../ids/inputs.ts'
import { buildBulk, says, type Program } from './child.ts'

const what = 'run R'
const second = 40
/** A container can be without a machine id; then nothing is ever stale by itself. */
const machineId = 'c'.repeat(32)
const node = nodeHost(process)
const readHere = ((path: string, encoding: 'utf8') =>
  path === '/etc/machine-id' ? machineId : node.disk.readFileSync(path, encoding)) as typeof node.disk.readFileSync
const host: LockHost = { ...node, disk: { ...node.disk, readFileSync: readHere } }
const hasProc = existsSync('/proc/self/stat')

let folder: ReturnType<typeof temporaryFolder>
let program: Program
beforeAll(() => {
  program = buildBulk('bulk/locks/take.ts', 'bulk/locks/lock-file.ts', 'bulk/locks/place.ts', 'host.ts')
})
afterAll(() => program.remove())
beforeEach(() => {
  folder = temporaryFolder()
  return () => folder.remove()
})

const prelude = `
  import { takeLock, nodeHost, readPlace } from './bulk.mjs'
  import { appendFileSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
  const node = nodeHost(process)
  const read = (path, ...how) => (path === '/etc/machine-id' ? '${machineId}' : readFileSync(path, ...how))
  const host = { ...node, disk: { ...node.disk, readFileSync: read } }
  const [dir, ...more] = process.argv.slice(2)
  const take = (options) => takeLock(host, dir, { what: '${what}', second: ${second}, ...options })
`

/** Takes the lock, says so, and holds it until its standard input ends. */
const holder = `${prelude}
  try {
    const lock = await take({ takeOver: more[0] === 'take-over' })
    console.log('taken', lock.takenOver)
    process.stdin.resume().on('end', async () => { await lock.release(); console.log('released') })
  } catch (error) {
    console.log(error.exitCode, error.message)
  }
`

function firstWords(child: ChildProcess): Promise<string> {
  return new Promise((done) => child.stdout?.once('data', (chunk: Buffer) => done(chunk.toString())))
}

it('another process cannot take it, until this one ends in whatever way', async () => {
  const child = program.start(holder, [folder.path])
  await says(child, 'taken')
  expect((await refusal(takeLock(host, folder.path, { what }))).message).toBe(`run R is in use by process ${child.pid}`)
  child.stdin?.end()
  expect((await child.finished).stdout).toContain('released')
  await (await takeLock(host, folder.path, { what })).release()

  for (let n = 0; n < 2; n += 1) {
    const killed = program.start(holder, [folder.path])
    await says(killed, 'taken')
    expect(await findHolder(host, folder.path)).toMatchObject({ pid: killed.pid, isHere: true })
    killed.kill('SIGKILL')
    await killed.finished
    expect(await findHolder(host, folder.path)).toBeUndefined()
  }
  expect(readdirSync(folder.path)).toHaveLength(2)
  await (await takeLock(host, folder.path, { what })).release()
  expect(readdirSync(folder.path)).toEqual([])
})

it('of four that take over a stopped holder, one does, and the holder does nothing more when it goes on', async () => {
  const worker = program.start(
    `${prelude}
    const lock = await take({})
    lock.lost.addEventListener('abort', () => console.log('cut off'))
    try {
      for (let n = 0; ; n += 1) {
        await lock.check()
        appendFileSync(more[0], 'x')
        if (n === 0) console.log('working')
        await new Promise((done) => setTimeout(done, 1))
      }
    } catch (error) {
      await lock.release()
      console.log(error.exitCode, error.message)
    }
  `,
    [folder.path, join(folder.path, 'work')],
  )
  await says(worker, 'working')
  worker.kill('SIGSTOP')
  const children = Array.from({ length: 4 }, () => program.start(holder, [folder.path, 'take-over']))
  const first = await Promise.all(children.map(firstWords))
  expect(first.filter((text) => text === 'taken true\n')).toHaveLength(1)
  expect(first.filter((text) => text.startsWith('11 run R is in use by process'))).toHaveLength(3)
  const winner = children[first.findIndex((text) => text.startsWith('taken'))]
  const work = readFileSync(join(folder.path, 'work')).length
  worker.kill('SIGCONT')
  expect((await worker.finished).stdout).toBe(`working\ncut off\n11 run R was taken over by process ${winner?.pid}\n`)
  // It can have been stopped right between its check and what it did.
  expect(readFileSync(join(folder.path, 'work')).length - work).toBeLessThanOrEqual(1)
  expect(await findHolder(host, folder.path)).toMatchObject({ pid: winner?.pid })
  for (const child of children) child.stdin?.end()
  await Promise.all(children.map(({ finished }) => finished))
  expect(readdirSync(folder.path)).toEqual(['work'])
})

it('is never held by two, whoever is killed at whatever moment', async () => {
  // Each holds it for a moment, over and over, and marks that moment by a file of its own that nobody else may meet.
  const script = `${prelude}
    const mark = more[0]
    for (let n = 0; n < 40; n += 1) {
      let lock
      try { lock = await take({}) } catch (error) { if (error.exitCode !== 11) throw error; continue }
      let met
      try { met = Number(readFileSync(mark, 'utf8')) } catch {}
      // A killed process can be there as a zombie.
      if (met && readPlace(host).process(met) !== 'gone') { console.log('two at once'); process.exit(1) }
      writeFileSync(mark, String(process.pid))
      await new Promise((done) => setTimeout(done, Math.random() * 4))
      await lock.check()
      unlinkSync(mark)
      await lock.release()
    }
  `
  const mark = join(folder.path, 'mark')
  const running = new Set<ReturnType<Program['start']>>()
  const all: ReturnType<Program['start']>[] = []
  const startOne = (): void => {
    const child = program.start(script, [folder.path, mark])
    all.push(child)
    running.add(child)
    void child.finished.then(() => running.delete(child))
  }
  for (let n = 0; n < 3; n += 1) startOne()
  for (let kills = 0; kills < 4; kills += 1) {
    await new Promise((done) => setTimeout(done, 120 + Math.random() * 80))
    const [victim] = running
    victim?.kill('SIGKILL')
    startOne()
  }
  const ended = await Promise.all(all.map(({ finished }) => finished))
  expect(ended.map(({ stdout, stderr }) => stdout + stderr).join('')).toBe('')
  await (await takeLock(host, folder.path, { what })).release()
  expect(await findHolder(host, folder.path)).toBeUndefined()
})

it.runIf(hasProc)('a killed process that nobody has waited for is gone', async () => {
  const parent = spawn('sh', ['-c', 'sleep 20 & echo $!; exec sleep 20'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const pid = Number(await firstWords(parent))
  const { process: stateOf } = readPlace(node)
  expect(stateOf(pid)).toEqual({ start: expect.stringMatching(/^\d+$/) })
  // A shell might wait for it.
  while (readFileSync(`/proc/${parent.pid}/comm`, 'utf8') !== 'sleep\n')
    await new Promise((done) => setTimeout(done, 5))
  process.kill(pid, 'SIGKILL')
  while (!readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')) await new Promise((done) => setTimeout(done, 5))
  expect(node.isRunning(pid)).toBe(true)
  expect(stateOf(pid)).toBe('gone')
  parent.kill()
})

it.runIf(hasProc)('a /proc of another pid namespace tells nothing', () => {
  // In a namespace of its own this process would have another number than /proc/self has.
  const inside = readPlace({ ...node, pid: 7 })
  expect(inside.process(process.pid)).toBeUndefined()
  expect(inside.process(999_999_999)).toBeUndefined()
  expect(readPlace(node).process(process.pid)).toEqual({ start: expect.stringMatching(/^\d+$/) })
  // Hidden by /proc, and there.
  expect(readPlace({ ...node, isRunning: () => true }).process(999_999_999)).toBeUndefined()
  expect(readPlace(node).process(999_999_999)).toBe('gone')
})

it('knows itself again', () => {
  const { identity } = readPlace(host)
  expect(isSamePlace(identity, readPlace(host).identity)).toBe(true)
  const bare = readPlace({ ...node, platform: 'darwin' })
  expect(isSamePlace(bare.identity, readPlace({ ...node, platform: 'darwin' }).identity)).toBe(true)
  expect(isSamePlace(bare.identity, identity)).toBe(false)
  expect([bare.process(process.pid), bare.process(999_999_999)]).toEqual([{ start: null }, 'gone'])
})

// The same with machines that do not exist, which needs no rights, is in lock.test.ts.
const namespaces = ['-pf', '-Urpf'].find((options) => spawnSync('unshare', [options, 'true']).status === 0)
it.runIf(namespaces !== undefined)('a living process is safe from another pid namespace', async () => {
  const child = program.start(holder, [folder.path])
  await says(child, 'taken')
  const script = child.spawnargs[1] ?? ''
  for (const mount of [[], ['--mount-proc']]) {
    const words = [namespaces ?? '', ...mount, process.execPath, script, folder.path]
    const { stdout } = spawnSync('unshare', words, { encoding: 'utf8' })
    expect(stdout).toMatch(new RegExp(`^11 run R is in use by process ${child.pid} on ".+" \\(in another container`))
  }
  child.kill('SIGKILL')
  await child.finished
  const { stdout } = spawnSync('unshare', [namespaces ?? '', process.execPath, script, folder.path], {
    encoding: 'utf8',
  })
  expect(stdout).toContain('is in use by process')
})
