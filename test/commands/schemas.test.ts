/** `svc help --json` and `svc help schema`: what they say is what the commands take and write. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { choices } from '../../src/cli/completion/values.ts'
import { schemaNames, schemaOf } from '../../src/cli/help/schemas.ts'
import { createSandboxWorld } from '../svc.ts'

const { svc, sandbox, folder } = await createSandboxWorld()
const { examples } = sandbox
const json = (text: string): unknown => JSON.parse(text)

interface Help {
  readonly command: string
  readonly arguments: readonly { readonly name: string; readonly required: boolean; readonly values?: string[] }[]
  readonly options: readonly {
    readonly name: string
    readonly type: string
    readonly values?: string[]
    readonly default?: string
    readonly environment?: string[]
    readonly repeatable: boolean
    readonly description: string
  }[]
  readonly examples: readonly string[]
  readonly commands: readonly Help[]
}

function all(help: Help): Help[] {
  return [help, ...help.commands.flatMap(all)]
}

const help = json((await svc('help --json')).stdout) as Help & { readonly schema: string }
const commands = all(help)
const leaves = commands.filter((each) => each.commands.length === 0).map(({ command }) => command)

describe('svc help --json', () => {
  test('is every command, with what its options take', () => {
    expect(help.schema).toBe('svc.help/1')
    const options = commands.flatMap((each) => each.options)
    const output = options.find(({ name }) => name === '--output')
    expect(output).toMatchObject({ type: 'string', values: choices['--output'], default: 'table' })
    expect(output?.environment).toEqual(['SVC_OUTPUT'])
    for (const { name, description, default: byDefault, values } of options) {
      expect([name, byDefault !== undefined]).toEqual([name, description.includes('default: ')])
      for (const value of values ?? []) expect([name, description]).toEqual([name, expect.stringContaining(value)])
    }
    expect(options.filter(({ repeatable }) => repeatable).map(({ name }) => name)).toContain('--file')
  })

  test('of one command, and of nothing else', async () => {
    const { stdout } = await svc('help lists list --json')
    expect(json(stdout)).toMatchObject({ command: 'svc lists list', commands: [] })
    for (const words of ['help nothing --json', 'help bulk --json', 'help lists nothing --json', 'help -o csv']) {
      const { code, stdout: none } = await svc(words)
      expect([words, code, none]).toEqual([words, 2, ''])
    }
  })
})

describe('svc help schema', () => {
  const plain = ['svc help', 'svc completion', 'svc sandbox exec', 'svc sandbox shell']

  test('there is one for each command with a JSON form', async () => {
    expect([...schemaNames].sort()).toEqual(leaves.filter((path) => !plain.includes(path)).sort())
    for (const path of schemaNames) {
      const { code, stdout } = await svc(`help schema ${path.slice(4)}`)
      expect([path, code]).toEqual([path, 0])
      expect(json(stdout)).toMatchObject({ title: `${path} --json` })
    }
    expect(await svc('help schema whoami --json')).toEqual(await svc('help schema whoami'))
    expect(await svc('help schema lists')).toMatchObject({ code: 2, stdout: '' })
    expect(await svc('help schema nothing')).toMatchObject({ code: 2, stdout: '' })
  })

  test('a place that is not known is null', async () => {
    const env = { HOME: undefined, XDG_STATE_HOME: undefined, SVC_STATE_DIR: undefined }
    const path = json((await svc(`profiles path --config ${join(folder, 'none.json')} --json`, { env })).stdout)
    expect(path).toMatchObject({ stateDir: null })
    expect(v.parse(schemaOf('svc profiles path') ?? v.never(), path)).toEqual(path)
  })

  const ids = join(folder, 'ids.txt')
  writeFileSync(ids, `${examples.contactsWithoutChats.slice(0, 3).join('\n')}\n64000000d5aad2927bffffff\n`)
  const tickets = join(folder, 'tickets.txt')
  writeFileSync(tickets, `${examples.assignableTickets.slice(0, 2).join('\n')}\n`)
  const people = join(folder, 'people.csv')
  writeFileSync(people, 'Phone\n+55 11 91234-5678\n')
  const [source, target] = examples.contactsWithoutChats.slice(-2)
  const config = join(folder, 'schemas.json')

  /** In this order: later ones show what earlier ones did. */
  const lines: readonly string[] = [
    'lists list --search VIP',
    'lists get VIP',
    'lists members VIP --limit 3',
    'lists create --name Spring --dry-run',
    'lists create --name Spring',
    'lists update Spring --description x --dry-run',
    'lists update Spring --description x',
    `lists add-contacts Spring --file ${ids} --once job`,
    'runs resume job',
    'runs retry job --isolate',
    `lists add-contacts Spring --file ${ids} --shard 1/2 --dry-run`,
    'contacts find --name "Anna Miller"',
    'contacts list --limit 2',
    `contacts match --file ${people} --in "Trade fair"`,
    'contacts duplicates --in "Trade fair"',
    `contacts get ${examples.contactsWithoutChats[0]} --in VIP --error-format text`,
    `lists diff VIP --file ${ids}`,
    `contacts merge ${source} --into ${target} --dry-run`,
    `contacts merge ${source} --into ${target} --yes`,
    `contacts delete --file ${ids} --yes`,
    `tickets get ${examples.tickets.active}`,
    `tickets history ${examples.tickets.album} --limit 30`,
    `tickets history ${examples.tickets.long} --limit 3`,
    `tickets history ${examples.tickets.long} ${examples.tickets.album} --limit 3`,
    `tickets assign ${examples.tickets.active} --to id:${examples.employee} --dry-run`,
    `tickets assign ${examples.tickets.active} --to id:${examples.employee}`,
    `tickets assign --file ${tickets} --to id:${examples.employee}`,
    'employees list',
    'runs list',
    'runs show --last',
    'runs export --last',
    'runs undo --last',
    'runs prune --older-than 0s --dry-run',
    `ids check ${ids}`,
    `ids dedupe ${ids}`,
    `ids union ${ids} ${ids}`,
    `ids intersect ${ids} ${ids}`,
    `ids subtract ${ids} ${tickets}`,
    `profiles add one --url ${sandbox.baseUrl} --key k --secret-env SVC_API_SECRET --no-check --config ${config}`,
    `profiles list --config ${config}`,
    `profiles show --config ${config}`,
    `profiles rename one two --config ${config}`,
    `profiles use two --config ${config}`,
    `profiles path --config ${config}`,
    `profiles remove two --yes --config ${config}`,
    'whoami',
    'whoami --offline',
    'doctor',
    'sign POST /v1/lists --body x --timestamp 1 --curl',
    'sign --body x --timestamp 1 --verify abc',
    'api lists',
  ]

  test('what each command writes with --json has the members of its schema and no others', async () => {
    const seen = new Set<string>()
    for (const line of lines) {
      const { stdout, stderr } = await svc(`${line} --json`)
      const path = schemaNames.find((name) => `svc ${line} `.startsWith(`${name} `)) ?? ''
      seen.add(path)
      expect([line, stderr, stdout === '']).toEqual([line, stderr, false])
      const value = json(stdout)
      // A schema drops the members that it does not know.
      expect([line, v.parse(schemaOf(path) ?? v.never(), value)]).toEqual([line, value])
    }
    expect([...seen].sort()).toEqual(schemaNames.filter((name) => name !== 'svc sandbox start').sort())
  })
})
