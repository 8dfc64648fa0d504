import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ownFolder } from '../ending.ts'
import { root } from '../svc.ts'

test('a build before npm ci says what to do first', () => {
  const clone = ownFolder('clone')
  for (const name of ['bin', 'package.json'])
    cpSync(join(root, name), join(clone, name), { recursive: true })
  const { status, stderr } = spawnSync(process.execPath, ['bin/build.mjs'], {
    cwd: clone,
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([
    1,
    'esbuild, which builds svc, is not installed here. First: npm ci\n',
  ])
})
