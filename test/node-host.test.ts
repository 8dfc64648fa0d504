/** Help is written without a stream, which would cost time to load: to pipes, files, and what takes no output. */
import fs, { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { nodeHost } from '../src/node-host.ts'
import { shell as start } from './support/spawned.ts'
import { ownFolder } from './support/ending.ts'

/** A command line of the shell, in which `svc` is the program that was built. */
async function shell(line: string) {
  const { code, stdout, stderr } = await start(line).ended
  return { code, stdout, stderr }
}

describe('help', () => {
  test('is written whole to a pipe and to a file', async () => {
    const folder = ownFolder('host')
    const { stdout } = await shell('svc contacts delete --help | cat')
    expect(stdout).toMatch(/^Usage: .*[^\n]\n$/s)
    expect(await shell(`svc contacts delete --help > ${folder}/page; cat ${folder}/page`)).toEqual({
      code: 0,
      stdout,
      stderr: '',
    })
  })

  test('output for a reader that went away ends quietly', async () => {
    const gone = join(ownFolder('host'), 'gone')
    // svc starts once the other end of its pipe is closed, which a line through the fifo tells.
    const line = `mkfifo ${gone}; { read -r _ < ${gone}; svc --help; echo "code $?" >&2; } | { exec <&-; echo > ${gone}; }`
    expect(await shell(line)).toEqual({ code: 0, stdout: '', stderr: 'code 0\n' })
  })

  test.skipIf(!existsSync('/dev/full'))('on a full disk is exit 1', async () => {
    const { code, stderr } = await shell('svc --help > /dev/full')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error: the output could not be written: no space left\n/)
  })

  test('on a descriptor that is open only for reading is exit 1', async () => {
    const { code, stderr } = await shell('svc help bulk 1< /dev/null')
    expect(code).toBe(1)
    expect(stderr).toContain('not open for writing')
  })
})

test('a terminal of which only one half opens is closed again', () => {
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
  const { openSync } = fs
  fs.openSync = () => 0
  syncBuiltinESMExports()
  try {
    expect(nodeHost(node).terminal()).toBeUndefined()
  } finally {
    fs.openSync = openSync
    syncBuiltinESMExports()
  }
  expect(input.destroyed).toBe(true)
})
