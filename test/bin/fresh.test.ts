import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../svc.ts'

test('a build before npm ci says what to do first', () => {
  const clone = mkdtempSync(join(tmpdir(), 'svc-clone-'))
  onTestFinished(() => {
    rmSync(clone, { recursive: true, force: true })
  })
  cpSync(join(root, 'bin'), join(clone, 'bin'), { recursive: true })
  const { status, stderr } = spawnSync(process.execPath, ['bin/build.mjs'], { cwd: clone, encoding: 'utf8' })
  expect([status, stderr]).toEqual([1, 'esbuild, which builds svc, is not installed here. First: npm ci\n'])
})
