/** `svc help schema <command> --fields …`: what a command writes with `--json --fields …` is what that schema says. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSandboxWorld } from '../svc.ts'

const world = await createSandboxWorld()
const { svc, sandbox } = world
const { contactsWithoutChats, tickets } = sandbox.examples

interface Schema {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: false
}

/** Where a value does not fit, as paths. */
function misfits(schema: Schema, value: unknown, path = ''): string[] {
  const { anyOf, items, properties } = schema
  if (anyOf !== undefined)
    return anyOf.some((each) => misfits(each, value).length === 0) ? [] : [path]
  if ('const' in schema && schema.const !== value) return [path]
  if (schema.enum?.includes(value) === false) return [path]
  if (schema.type !== undefined && schema.type !== typeOf(value, schema.type)) return [path]
  if (Array.isArray(value) && items !== undefined)
    return value.flatMap((item, at) => misfits(items, item, `${path}[${at}]`))
  if (properties === undefined) return []
  const members = value as Readonly<Record<string, unknown>>
  const missing = (schema.required ?? []).filter((key) => !(key in members))
  const isClosed = schema.additionalProperties === false
  const more = Object.keys(members).filter((key) => isClosed && !(key in properties))
  const inner = Object.entries(properties).flatMap(([key, member]) =>
    key in members ? misfits(member, members[key], `${path}.${key}`) : [],
  )
  return [...[...missing, ...more].map((key) => `${path}.${key}`), ...inner]
}

/** The word of JSON Schema for what a value is. */
function typeOf(value: unknown, wanted: string): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return wanted === 'integer' && Number.isInteger(value) ? 'integer' : typeof value
}

const ids = join(world.folder, 'ids.txt')
writeFileSync(ids, `${contactsWithoutChats.slice(0, 2).join('\n')}\n`)

test.each([
  ['lists list --limit 3', 'lists list', 'id,name,description,contactsCount'],
  ['lists members VIP --limit 3', 'lists members', 'NAME,contact.identities.phone,membershipId'],
  ['lists get VIP', 'lists get', 'UPDATED,name'],
  ['lists create --name Spring --dry-run', 'lists create', 'name,contactsCount'],
  ['contacts find --email noor.haddad@example.org', 'contacts find', 'id,lists.name,name'],
  [`tickets history ${tickets.long} --limit 3`, 'tickets history', 'ticketId,text,fromName'],
  [`tickets get ${tickets.active}`, 'tickets get', 'assignee,status,attribution.ad_id'],
  [`contacts delete --file ${ids} --dry-run`, 'contacts delete', 'result.deleted,input,plan'],
  [
    `contacts merge ${contactsWithoutChats.slice(0, 2).join(' --into ')} --yes`,
    'contacts merge',
    'contact.id,name',
  ],
  ['doctor', 'doctor', 'status,checks.state'],
  ['whoami', 'whoami', 'host,profile'],
  ['profiles show', 'profiles show', 'settings.limit,secret.source'],
])('%s', async (line, command, fields) => {
  const written = await svc(`${line} --json --fields ${fields}`)
  const printed = await svc(`help schema ${command} --fields ${fields}`)
  expect([written.code, printed.code, printed.stderr]).toEqual([0, 0, ''])
  const schema = JSON.parse(printed.stdout) as Schema & { readonly title: string }
  expect(schema.title).toBe(`svc ${command} --json --fields ${fields}`)
  const value = JSON.parse(written.stdout) as unknown
  expect(misfits(schema, value)).toEqual([])
  // The schema of fewer fields has no place for the others.
  const fewer = await svc(`help schema ${command} --fields ${fields.split(',')[0]}`)
  expect(misfits(JSON.parse(fewer.stdout) as Schema, value)).not.toEqual([])
})

test('a field of a file of them is known too; an unknown one, and none to belong to, are exit 2', async () => {
  const { code, stdout } = await svc('help schema contacts merge --fields result.done')
  expect([code, stdout]).toEqual([0, expect.stringContaining('"done"')])
  for (const words of ['lists list --fields nome', '--fields id', 'errors --fields type'])
    expect(await svc(`help schema ${words}`)).toMatchObject({ code: 2, stdout: '' })
})
