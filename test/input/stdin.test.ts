import { spawnSync } from 'node:child_process'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { idOf } from '../support/inputs.ts'
import { envFor } from '../support/loopback.ts'
import { bin } from '../support/spawned.ts'
import { createWorld } from '../support/svc.ts'

const { env, folder } = createWorld(envFor('https://api.example.com'))
const file = join(folder, 'ids.txt')
const words = ['contacts', 'delete', '-', '--json', '--dry-run']

it.each([
  ['a folder', folder, 'r', 2, 'standard input cannot be read: illegal operation on a directory'],
  ['a file for writing', file, 'a', 2, 'standard input cannot be read: bad file descriptor'],
  ['a file', file, 'r', 0, '"unique": 1'],
  ['/dev/null', '/dev/null', 'r', 2, 'is empty'],
])('%s', (_, path, flags, code, said) => {
  writeFileSync(file, idOf(1))
  const stdin = openSync(path, flags)
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...words], {
    stdio: [stdin, 'pipe', 'pipe'],
    env,
    encoding: 'utf8',
  })
  closeSync(stdin)
  expect([status, stdout + stderr]).toEqual([code, expect.stringContaining(said)])
  expect(stdout === '').toBe(code === 2)
})
