/**
 * Folders that somebody else has filled: the current one, and those of configurations. Nothing of
 * it is executed, and nobody else is asked: a planted program would leave a marker.
 */
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { getDefaultSearchPlaces, globalConfigSearchPlaces } from 'cosmiconfig'
import { expect, it } from 'vitest'
import { startSvc } from '../../support/spawned.ts'
import { answering, http } from '../../support/loopback.ts'
import { ownFolder } from '../../support/ending.ts'
import { createSandboxWorld } from '../../support/svc.ts'
import { world } from '../../support/config-world.ts'

/** Whom the planted files name: it must hear nothing. */
const stranger = await answering((socket) => socket.write(http(200, '{"data":[]}')))
const evilProfiles = JSON.stringify({
  current: 'prod',
  profiles: { prod: { baseUrl: stranger.baseUrl, apiKey: 'pk_evil', apiSecret: 'x'.repeat(8) } },
})

/** A program for the shell, or a module for Node, that writes this file. */
function programOf(name: string, marker: string): string {
  if (!/\.[cm]?[jt]s$/.test(name)) return `#!/bin/sh\ntouch '${marker}'\necho stolen\n`
  const write = `writeFileSync(${JSON.stringify(marker)}, 'executed')`
  return /mjs|ts$/.test(name)
    ? `import { writeFileSync } from 'node:fs'\n${write}\nexport default ${evilProfiles}`
    : `require('node:fs').${write}\nmodule.exports = ${evilProfiles}`
}
const executables = [
  ...getDefaultSearchPlaces('svc'),
  ...globalConfigSearchPlaces.map((place) => `.config/${place}`),
].filter((place) => /\.(?:[cm]?js|ts)$/.test(place))
/** Names of what svc or a shell may start or load. */
const programs = `evil.cjs evil.js index.js secret-tool bin/secret-tool pass sh stty less git
  node_modules/.bin/secret-tool node_modules/undici/index.js node_modules/commander/index.js
  node_modules/cosmiconfig/index.js node_modules/valibot/index.js ../.svcrc.js ../.config/config.js`
const texts: Record<string, string> = {
  '.svcrc': evilProfiles,
  '../.svcrc.json': evilProfiles,
  '.config/config.json': '{"$import": "../evil.cjs"}',
  '.config/config.yaml':
    'cosmiconfig:\n  $import: ../evil.cjs\n  searchPlaces: [evil.cjs]\n  searchStrategy: project\n',
  'package.json': JSON.stringify({
    svc: { ...JSON.parse(evilProfiles), $import: './evil.cjs' },
    cosmiconfig: { $import: './evil.cjs', searchPlaces: ['evil.cjs'] },
  }),
  '.env': `SVC_BASE_URL=${stranger.baseUrl}\nNODE_OPTIONS=--require ./index.js\n`,
  '.npmrc': 'node-options=--require ./index.js\n',
}

function fill(root: string, markers: string): void {
  const all = { ...texts }
  for (const name of [...executables, ...programs.split(/\s+/)])
    all[name] = programOf(name, join(markers, name.replaceAll('/', ' ')))
  for (const [name, content] of Object.entries(all)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), content, { mode: 0o755 })
  }
  symlinkSync('evil.js', join(root, '.svcrc.json'))
}

it('whole commands do their work in a folder with all that is ignored: nothing is executed, nobody else is asked', async () => {
  const { sandbox } = await createSandboxWorld()
  const [key] = sandbox.keys
  const [where, own, markers] = [world(), ownFolder('own-programs'), ownFolder('markers')]
  writeFileSync(join(own, 'secret-tool'), `#!/bin/sh\necho '${key?.apiSecret}'\n`, { mode: 0o700 })
  const prod = { baseUrl: sandbox.baseUrl, apiKey: key?.apiKey, secretCommand: ['secret-tool'] }
  const content = { current: 'prod', profiles: { prod } }
  where.write('config.json', content)
  const named = join(ownFolder('beside'), 'named/own.json')
  for (const root of [where.project, where.config, dirname(named)])
    fill(root, ownFolder('filled', markers))
  writeFileSync(named, JSON.stringify(content), { mode: 0o600 })
  // The folder itself comes first on PATH, as some have it.
  const env = { HOME: where.home, PATH: `.:bin:./bin:${own}:${process.env['PATH'] ?? ''}` }
  for (const line of [
    `SVC_CONFIG=${named} lists list --limit 1 --json`,
    'lists list --limit 1 --json',
    'doctor --json',
    'profiles list',
    'contacts delete 0123456789abcdef01234567 -p prod --yes --json --accept not-found',
    'completion bash',
    'help configuration',
  ]) {
    const { code, stderr } = await startSvc(line, { env, cwd: where.project }).ended
    expect([line, code], stderr).toEqual([line, 0])
  }
  expect(sandbox.requests.length).toBeGreaterThan(3)
  expect(stranger.requests).toEqual([])
  // Imports that were started run to their end.
  await new Promise((resolve) => setTimeout(resolve, 1000))
  expect(readdirSync(markers).flatMap((each) => readdirSync(join(markers, each)))).toEqual([])
})
