/** The script that starts svc: what it says of a program that never answers, and where Node keeps the compiled code. */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { ownFolder } from '../support/ending.ts'
import { root } from '../support/svc.ts'
import { version } from '../../src/host.ts'

const bin = join(root, 'bin/svc.js')

test('a program that ends without an answer says that this is a defect', () => {
  const answer = '(process.exitCode = 0, new Promise(() => {}))'
  const script = `require(${JSON.stringify(bin)}).start({ nodeHost: () => ({}), main: () => ${answer} }, ['svc'])`
  const { status, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([
    1,
    `error: a defect in svc ${version}: the command ended without an answer\n` +
      'check what it changed before you run it again, and report it with the command that you typed\n',
  ])
})

describe('compiled code is kept', () => {
  let home = ''
  beforeEach(() => {
    home = ownFolder('home')
  })

  /** The folder that Node is told to keep the code in: none where it is not told. The version of Node decides nothing here. */
  function folderOf(env: Readonly<Record<string, string>> = {}): string | undefined {
    const told = join(home, 'told')
    rmSync(told, { force: true })
    const preload = join(home, 'preload.cjs')
    writeFileSync(
      preload,
      `require('node:module').enableCompileCache = (folder) =>
        require('node:fs').writeFileSync(${JSON.stringify(told)}, folder)`,
    )
    const words = ['--require', preload, bin, 'help', 'exit-codes']
    const options = { env: { PATH: process.env['PATH'], HOME: home, ...env } }
    expect(spawnSync(process.execPath, words, options).status).toBe(0)
    return existsSync(told) ? readFileSync(told, 'utf8') : undefined
  }

  test('in a folder of this user alone, and nowhere when others can write to it', () => {
    const folder = join(home, '.cache/svc/code')
    expect(folderOf()).toBe(folder)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(folderOf()).toBe(folder)
    chmodSync(folder, 0o770)
    expect(folderOf()).toBeUndefined()
  })

  test('nowhere without a home, and where no folder can be made', () => {
    expect(folderOf({ HOME: '' })).toBeUndefined()
    expect(existsSync(join(home, '.cache'))).toBe(false)
    writeFileSync(join(home, '.cache'), '')
    expect(folderOf()).toBeUndefined()
  })
})
