/**
 * The script that starts svc: what it says of a program that never answers, and where Node keeps
 * the compiled code.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
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

test('SIGUSR1 opens no debugger', async () => {
  const child = spawn(process.execPath, [bin, 'sandbox', 'start', '--json', '--port', '0'])
  let told = ''
  child.stderr.on('data', (text) => (told += String(text)))
  const [text] = (await once(child.stdout, 'data')) as [Buffer]
  const { baseUrl } = JSON.parse(String(text)) as { baseUrl: string }
  child.kill('SIGUSR1')
  // Time in which a debugger would say that it listens.
  for (let n = 0; n < 50; n += 1) await fetch(baseUrl)
  child.kill('SIGTERM')
  const [, signal] = (await once(child, 'close')) as [unknown, string]
  expect([signal, told.includes('Debugger')]).toEqual(['SIGTERM', false])
})
