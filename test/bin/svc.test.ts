import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ownFolder } from '../support/ending.ts'
import { root } from '../support/svc.ts'
import { version } from '../../src/host.ts'

const bin = join(root, 'bin/svc.js')

test('a program that ends without an answer says that this is a bug', () => {
  const answer = '(process.exitCode = 0, new Promise(() => {}))'
  const script = `require(${JSON.stringify(bin)}).start({ nodeHost: () => ({}), main: () => ${answer} }, ['svc'])`
  const { status, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([
    1,
    `error: svc ${version} has a bug: the command ended without an answer\n` +
      'check what it changed before you run it again, and report it with the command that you typed\n',
  ])
})

test('a clone that is not built yet says what to do', () => {
  const clone = ownFolder('clone')
  cpSync(join(root, 'bin'), join(clone, 'bin'), { recursive: true })
  const words = [join(clone, 'bin/svc.js'), '--version']
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  expect([status, stderr]).toEqual([
    2,
    'error: svc is not built yet; in its folder, run this first:\n  npm ci\n',
  ])
})

test('compiled code is kept in a folder of this user', () => {
  const home = ownFolder('home')
  const told = join(home, 'told')
  const preload = join(home, 'preload.cjs')
  // The version of Node decides nothing here.
  writeFileSync(
    preload,
    `require('node:module').enableCompileCache = (folder) =>
      require('node:fs').writeFileSync(${JSON.stringify(told)}, folder)`,
  )
  const words = ['--require', preload, bin, 'help', 'exit-codes']
  const options = { env: { PATH: process.env['PATH'], HOME: home } }
  expect(spawnSync(process.execPath, words, options).status).toBe(0)
  expect(readFileSync(told, 'utf8')).toBe(join(home, '.cache/svc/code'))
})
