import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ownFolder } from '../ending.ts'
import { root } from '../svc.ts'

test('a build that is started from another folder builds the same', () => {
  const clone = ownFolder('clone')
  for (const name of ['bin', 'src', 'docs', 'package.json', 'package-lock.json'])
    cpSync(join(root, name), join(clone, name), { recursive: true })
  symlinkSync(realpathSync(join(root, 'node_modules')), join(clone, 'node_modules'))
  const { status, stderr } = spawnSync(process.execPath, [join(clone, 'bin/build.mjs')], {
    cwd: ownFolder('elsewhere'),
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([0, ''])
  expect(existsSync(join(clone, 'dist/main.js'))).toBe(true)
})
