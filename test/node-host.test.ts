/** What is written to pipes, files and full disks. A terminal that opens by half. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import type { Host } from '../src/host.ts'
import { main } from '../src/main.ts'
import { nodeHost } from '../src/node-host.ts'
import { SvcError } from '../src/errors.ts'
import { writeBytes } from '../src/output/streams.ts'
import { ownFolder } from './support/ending.ts'
import { shell as start, type SpawnOptions } from './support/spawned.ts'
import { createSandboxWorld } from './support/svc.ts'

/** A command line of the shell, in which `svc` is the program that was built. */
async function shell(line: string, options: SpawnOptions = {}) {
  const { code, stdout, stderr } = await start(line, options).ended
  return { code, stdout, stderr }
}

test('help is written whole to a pipe and to a file', async () => {
  const folder = ownFolder('host')
  const { stdout } = await shell('svc contacts delete --help | cat')
  expect(stdout).toMatch(/^Usage: .*[^\n]\n$/s)
  expect(await shell(`svc contacts delete --help > ${folder}/page; cat ${folder}/page`)).toEqual({
    code: 0,
    stdout,
    stderr: '',
  })
})

test('help output for a reader that went away ends quietly', async () => {
  const gone = join(ownFolder('host'), 'gone')
  // svc starts once the other end of its pipe is closed, which a line through the fifo tells.
  const line = `mkfifo ${gone}; { read -r _ < ${gone}; svc --help; echo "code $?" >&2; } | { exec <&-; echo > ${gone}; }`
  expect(await shell(line)).toEqual({ code: 0, stdout: '', stderr: 'code 0\n' })
})

test('help on a descriptor that is open only for reading is exit 1', async () => {
  const { code, stderr } = await shell('svc help bulk 1< /dev/null')
  expect(code).toBe(1)
  expect(stderr).toContain('bad file descriptor')
})

const { openSync, writeSync, fstatSync } = fs
const { env } = await createSandboxWorld()

async function withDisk<T>(functions: Partial<typeof fs>, work: () => T | Promise<T>) {
  Object.assign(fs, functions)
  syncBuiltinESMExports()
  try {
    return await work()
  } finally {
    Object.assign(fs, { openSync, writeSync, fstatSync })
    syncBuiltinESMExports()
  }
}

describe('an output that does not fit is exit 1', () => {
  const file = openSync(join(ownFolder('file'), 'file'), 'w')

  /**
   * Acts with a file that takes everything, then with one for each size below that, in steps.
   * Returns how the first ended, and the others that did not write what fits and end with
   * `failure`.
   */
  async function writeAtEachByte(
    line: string,
    fd: number,
    act: (host: Host) => unknown,
    { failure, step = 1 }: { failure: unknown; step?: number },
  ) {
    let taken = 0
    let space = Infinity
    const write = (to: number, bytes: Uint8Array, at = 0) => {
      const size = Math.min(bytes.length - at, to === fd ? space - taken : Infinity)
      if (size === 0) throw Object.assign(new Error('ENOSPC: no space, write'), { code: 'ENOSPC' })
      if (to === fd) taken += size
      return size
    }
    const argv = { value: ['', '', ...line.split(' ')] }
    const node = Object.create(process, { argv }) as NodeJS.Process
    const disk = { writeSync: write, fstatSync: () => fstatSync(file) } as object
    return withDisk(disk, async () => {
      const whole = await act(nodeHost(node))
      const size = taken
      const wrong: unknown[] = []
      for (space = 0; space < size; space += step) {
        taken = 0
        const end = await act(nodeHost(node))
        if (end !== failure || taken !== space) wrong.push({ space, end, taken })
      }
      return { whole, size, wrong }
    })
  }

  test.each([
    ['--help', 1, 0, 97],
    ['--version', 1, 0, 1],
    ['help lists', 1, 0, 7],
    ['lists', 2, 2, 1],
  ] as const)('svc %s: at bytes of descriptor %i', async (line, fd, code, step) => {
    const { whole, wrong } = await writeAtEachByte(line, fd, main, { failure: 1, step })
    expect({ whole, wrong }).toEqual({ whole: code, wrong: [] })
  })

  test('40 KB, at each 131st byte', async () => {
    const bytes = Buffer.alloc(40_000, 'id,name\n')
    const write = (host: Host) =>
      writeBytes(host, host.stdout, [bytes]).catch(
        (error: unknown) => error instanceof SvcError && 'told',
      )
    expect(await writeAtEachByte('', 1, write, { failure: 'told', step: 131 })).toEqual({
      whole: 'written',
      size: bytes.length,
      wrong: [],
    })
  })

  test('--out with ulimit leaves no file', async () => {
    const folder = ownFolder('out')
    const line = `for format in csv json xlsx; do
        (ulimit -f 1; svc contacts list --in VIP --limit all --out ${folder}/cut.$format)
        echo $?
      done; ls ${folder}`
    const { stdout, stderr } = await shell(line, { env })
    expect(stdout).toBe('1\n1\n1\n')
    expect(stderr.match(/file too large$/gm)).toHaveLength(3)
  })
})

test('a terminal of which only one half opens is closed again', async () => {
  const input = new PassThrough()
  const tty = {
    ReadStream: function ReadStream() {
      return input
    },
    WriteStream: function WriteStream() {
      throw new Error('no terminal')
    },
  }
  const node = Object.create(process, { getBuiltinModule: { value: () => tty } }) as NodeJS.Process
  const opened = await withDisk({ openSync: () => 0 }, () => nodeHost(node).terminal())
  expect(opened).toBeUndefined()
  expect(input.destroyed).toBe(true)
})

describe('on Windows', () => {
  /** A process that says it is on Windows, on a console; `opened`: the devices that it opens. */
  function windows() {
    const opened: string[] = []
    const tty = { ReadStream: PassThrough, WriteStream: PassThrough, isatty: () => true }
    const openSync = (path: string) => opened.push(path)
    const kill = () => {
      throw new Error('Node ends the process with exit code 1')
    }
    const node = Object.create(process, {
      platform: { value: 'win32' },
      kill: { value: kill },
      getBuiltinModule: { value: () => tty },
    }) as NodeJS.Process
    return { opened, node, disk: { openSync } as object }
  }

  test('a question is asked on the console, opened for both reading and writing', async () => {
    const { node, opened, disk } = windows()
    await withDisk(disk, () => nodeHost(node).terminal())
    expect(opened).toEqual(['\\\\.\\CONIN$', '\\\\.\\CONOUT$'])
  })

  test('nothing is written to a console but characters, and no signal ends the process', () => {
    const host = nodeHost(windows().node)
    expect([host.isWindows, host.isTerminal.stdout]).toEqual([true, true])
    expect(host.writeAtOnce?.('ü', 'stdout')).toEqual(Buffer.from('ü'))
    host.raise('SIGINT')
  })
})
