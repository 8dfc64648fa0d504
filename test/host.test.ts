/** Output without a stream on stdout: help, which loads only what it needs. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { onTerminal, shell as start } from './runs/spawned.ts'
import { ownFolder } from './ending.ts'
import { envFor } from './http/loopback.ts'

/** A command line of the shell, in which `svc` is the program that was built. */
async function shell(line: string) {
  const { code, stdout, stderr } = await start(line).ended
  return { code, stdout, stderr }
}

describe.skipIf(process.platform === 'win32')('help', () => {
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
    const line = `mkfifo ${gone}; { read -r _ < ${gone}; svc --help; echo "code $?" >&2; } | { exec <&-; echo > ${gone}; }`
    expect(await shell(line)).toEqual({ code: 0, stdout: '', stderr: 'code 0\n' })
  })

  test.skipIf(!existsSync('/dev/full'))('on a full disk is exit 1', async () => {
    const { code, stderr } = await shell('svc --help > /dev/full')
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^error: the output could not be written: no space left\n {2}free some space, and run the command again\n$/,
    )
    // A descriptor that is open, and not for writing.
    expect((await shell('svc help bulk > /dev/null 1< /dev/null')).stderr).toContain(
      'not open for writing',
    )
  })
})

test.skipIf(process.platform === 'win32').each([
  ['lists list --nope', 'unknown option "--nope"'],
  // A question, which is asked on the terminal itself.
  [`contacts delete ${'a'.repeat(24)}`, `? Delete contact ${'a'.repeat(24)} on 127.0.0.1:9 (key`],
])('a terminal that does not know its size is as wide as most: %s', async (line, expected) => {
  const folder = ownFolder('host')
  const env = { ...envFor('http://127.0.0.1:9'), HOME: folder }
  const on = onTerminal(`stty cols 0 rows 0; svc ${line}`, env, folder)
  await on.shows(expected)
  on.pty.write('n\r')
  await on.exited
  expect(on.text()).toContain(expected)
})

test('warnings of Node are warnings of svc', async () => {
  const early = join(ownFolder('host'), 'early.cjs')
  writeFileSync(early, 'setTimeout(() => process.emitWarning("old", "DeprecationWarning"), 60)')
  const svc = `NODE_OPTIONS='--require ${early}' svc contacts delete - --dry-run`
  const { code, stderr } = await shell(`(sleep 0.5; echo 64f0a1b2c3d4e5f600000001) | ${svc}`)
  expect([code, stderr.split('\n')[0]]).toEqual([0, 'warning: DeprecationWarning: old'])
})
