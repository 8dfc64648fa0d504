/** What a real process can tell of others, in this pid namespace and from another. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type LockHost } from '../../src/disk/lock-file.ts'
import { isSamePlace, readPlace } from '../../src/disk/place.ts'
import { nodeHost } from '../../src/host.ts'
import { temporaryFolder } from '../input/inputs.ts'
import { buildBulk, says, type Program } from './child.ts'

/** A container can be without a machine id; then nothing is ever stale by itself. */
const machineId = 'c'.repeat(32)
const node = nodeHost(process)
const readHere = ((path: string, encoding: 'utf8') =>
  path === '/etc/machine-id'
    ? machineId
    : node.disk.readFileSync(path, encoding)) as typeof node.disk.readFileSync
const host: LockHost = { ...node, disk: { ...node.disk, readFileSync: readHere } }
const hasProc = existsSync('/proc/self/stat')

let folder: ReturnType<typeof temporaryFolder>
let program: Program
beforeAll(() => {
  program = buildBulk('disk/take.ts', 'host.ts')
})
afterAll(() => program.remove())
beforeEach(() => {
  folder = temporaryFolder()
  return () => folder.remove()
})

/** Takes the lock, says so, and holds it until it is killed. */
const holder = `
  import { takeLock, nodeHost } from './bulk.mjs'
  import { readFileSync } from 'node:fs'
  const node = nodeHost(process)
  const read = (path, ...how) => (path === '/etc/machine-id' ? '${machineId}' : readFileSync(path, ...how))
  const host = { ...node, disk: { ...node.disk, readFileSync: read } }
  try {
    await takeLock(host, process.argv[2], { what: 'run R' })
    console.log('taken')
    setInterval(() => undefined, 60_000)
  } catch (error) {
    console.log(error.exitCode, error.message)
  }
`

function firstWords(child: ChildProcess): Promise<string> {
  return new Promise((done) =>
    child.stdout?.once('data', (chunk: Buffer) => done(chunk.toString())),
  )
}

it.runIf(hasProc)('a killed process that nobody has waited for is gone', async () => {
  const parent = spawn('sh', ['-c', 'sleep 20 & echo $!; exec sleep 20'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const pid = Number(await firstWords(parent))
  const { process: stateOf } = readPlace(node)
  expect(stateOf(pid)).toEqual({ start: expect.stringMatching(/^\d+$/) })
  // A shell might wait for it.
  while (readFileSync(`/proc/${parent.pid}/comm`, 'utf8') !== 'sleep\n')
    await new Promise((done) => setTimeout(done, 5))
  process.kill(pid, 'SIGKILL')
  while (!readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '))
    await new Promise((done) => setTimeout(done, 5))
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

it.runIf(hasProc)('another name, machine, boot or pid namespace is another place', () => {
  const { identity } = readPlace(host)
  const reading = (file: string, text: string): LockHost => {
    const readFileSync = ((path: string, encoding: 'utf8') =>
      path === file ? text : readHere(path, encoding)) as typeof readHere
    return { ...host, disk: { ...host.disk, readFileSync } }
  }
  const readlinkSync = ((path: string) =>
    path === '/proc/self/ns/pid'
      ? 'pid:[1]'
      : node.disk.readlinkSync(path)) as typeof node.disk.readlinkSync
  const others: readonly LockHost[] = [
    { ...host, computer: { ...host.computer, hostname: 'another' } },
    reading('/etc/machine-id', 'd'.repeat(32)),
    reading('/proc/sys/kernel/random/boot_id', '00000000-0000-0000-0000-000000000000'),
    { ...host, disk: { ...host.disk, readlinkSync } },
  ]
  for (const other of others) {
    const place = readPlace(other)
    expect(place.identity).not.toBeNull()
    expect(isSamePlace(place.identity, identity)).toBe(false)
  }
})

// The same with machines that do not exist, which needs no rights, is in lock.test.ts.
const namespaces = ['-pf', '-Urpf'].find(
  (options) => spawnSync('unshare', [options, 'true']).status === 0,
)
it.runIf(namespaces !== undefined)(
  'a living process is safe from another pid namespace',
  async () => {
    const child = program.start(holder, [folder.path])
    await says(child, 'taken')
    const script = child.spawnargs[1] ?? ''
    for (const mount of [[], ['--mount-proc']]) {
      const words = [namespaces ?? '', ...mount, process.execPath, script, folder.path]
      const { stdout } = spawnSync('unshare', words, { encoding: 'utf8' })
      expect(stdout).toMatch(
        new RegExp(`^11 run R is in use by process ${child.pid} on ".+" \\(in another container`),
      )
    }
    child.kill('SIGKILL')
    await child.finished
    const { stdout } = spawnSync(
      'unshare',
      [namespaces ?? '', process.execPath, script, folder.path],
      {
        encoding: 'utf8',
      },
    )
    expect(stdout).toContain('is in use by process')
  },
)
