/** The places of a secret, and what goes wrong with each: nothing else has the secret. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { createSandboxWorld, guardSecret, hasSecret, type Options } from '../../support/svc.ts'

const world = await createSandboxWorld()
const { sandbox, folder } = world
const { apiKey, apiSecret: secret } = sandbox.key('read-write')
const proxyPassword = 'Pr0xy-canary_5521~word'
guardSecret(proxyPassword)
// As the header of a proxy has it.
guardSecret(`user:${proxyPassword}`)
const none = { SVC_BASE_URL: '', SVC_API_KEY: '', SVC_API_SECRET: '' }

const own = {
  'secret.txt': `${secret}\n`,
  'wrong.txt': `${secret}x\n`,
  'broken.json': `{"profiles": {"prod": {"apiSecret": "${secret}", }}}`,
  'broken.yaml': `profiles:\n  prod:\n    apiSecret: "${secret}\n  x: [`,
  'shape.json': JSON.stringify({
    profiles: { prod: { baseUrl: sandbox.baseUrl, apiKey, apiSecret: [secret] } },
  }),
}
/** Secret commands: one says what it was called with. */
const commands = {
  'print-secret': `cat /proc/$$/cmdline >> '${folder}/command-lines' 2>&1; cat '${folder}/secret.txt'`,
  'print-and-fail': `cat '${folder}/secret.txt'; cat '${folder}/secret.txt' >&2; exit 3`,
  'print-twice': `cat '${folder}/secret.txt' '${folder}/secret.txt'`,
}

beforeAll(() => {
  for (const [name, text] of Object.entries(own))
    writeFileSync(join(folder, name), text, { mode: 0o600 })
  for (const [name, text] of Object.entries(commands))
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o700 })
})

/** The exit codes of commands in this world, whose outputs are searched. */
async function codesOf(lines: readonly string[], options: Options = {}): Promise<number[]> {
  const codes: number[] = []
  for (const line of lines) codes.push((await world.svc(line, { fast: true, ...options })).code)
  return codes
}

const line = 'lists list --limit 1 --wait 10ms -v'
const looks = [line, `${line} --json`, 'doctor', 'doctor -v', 'doctor --json']
const noService = { SVC_BASE_URL: 'https://service.invalid' }
const proxy = `http://user:${proxyPassword}@127.0.0.1:9`
test.each<[string, number, Record<string, string>]>([
  ['a proxy', 7, { ...noService, HTTPS_PROXY: proxy }],
  ['a proxy of another kind', 2, { ...noService, HTTPS_PROXY: proxy.replace('http', 'ftp') }],
  ['a URL with a user', 2, { SVC_BASE_URL: `https://user:${proxyPassword}@service.invalid` }],
  ['another origin', 7, { SVC_BASE_URL: 'http://127.0.0.1:9' }],
  ['two lines', 4, { SVC_API_SECRET: `${secret}\n${secret}` }],
  ['a space', 0, { SVC_API_SECRET: `${secret} ` }],
  ['a wrong secret', 4, { SVC_API_SECRET: `${secret}x` }],
  ['two places', 4, { SVC_API_SECRET_FILE: join(folder, 'secret.txt') }],
])('an environment with %s does not show it', async (_, code, env) => {
  expect(await codesOf(looks, { env })).toEqual(looks.map(() => code))
})

test.each(['broken.json', 'broken.yaml', 'shape.json'])('%s does not show it', async (name) => {
  const env = { ...none, SVC_CONFIG: join(folder, name) }
  expect(await codesOf([line, 'doctor', 'profiles list'], { env })).toEqual([2, 2, 2])
})

test.each<[string, string, number, string?]>([
  ['in-file', '--secret-stdin', 0, `${secret}\n`],
  ['in-secret-file', `--secret-file ${folder}/secret.txt`, 0],
  ['by-command', `--secret-command ${folder}/print-secret`, 0],
  ['in-wrong-file', `--secret-file ${folder}/wrong.txt`, 0],
  ['by-failing', `--secret-command ${folder}/print-and-fail`, 0],
  ['by-two-lines', `--secret-command ${folder}/print-twice`, 0],
  ['two-lines', '--secret-stdin', 4, `${secret}\n${secret}\n`],
  ['a-space', '--secret-stdin', 4, ` ${secret} x\n`],
])('a profile does not show it: %s', async (name, words, code, stdin = '') => {
  const add = `profiles add ${name} --url ${sandbox.baseUrl} --key ${apiKey} ${words} -v`
  const lines = [add, ...looks.map((look) => `${look} -p ${name}`)]
  expect((await codesOf(lines, { env: none, stdin }))[0]).toBe(code)
})

test('a change with it leaves nothing behind: its record and its receipts', async () => {
  const ids = sandbox.examples.contactsWithoutChats.slice(0, 4).join(' ')
  sandbox.setFaults('contacts.delete:1=429,retry-after=0 contacts.delete:3+=401')
  const remove = `BATCHES_OF=2 contacts delete ${ids} -p by-command --yes --once secretive --concurrency 1 -v`
  expect(await codesOf([`${remove} --receipts ${folder}/deleted.csv`], { env: none })).toEqual([4])
  sandbox.setFaults()
  const more = ['runs resume secretive --yes', 'runs show', 'runs export -o csv']
  const lines = more.map((each) => `${each} -p by-command -v`)
  expect(await codesOf(lines, { env: none })).toEqual([0, 0, 0])
})

test('no file but its own has it, and no command line', () => {
  const places = [...Object.keys(own), '.config/svc/config.json']
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  const holders = files.filter((path) => hasSecret(`${path}\n${readFileSync(path, 'latin1')}`))
  expect(holders.sort()).toEqual(places.map((name) => join(folder, name)).sort())
})

test.runIf(process.platform === 'linux')('the words of a secret command were looked at', () => {
  expect(readFileSync(join(folder, 'command-lines'), 'utf8')).toContain('print-secret')
})
