/**
 * `lists create`. All lists are read first. When the answer is lost, the list is looked for among those that were not there before, and
 * never created twice.
 */
import { say, svc } from '../../message.ts'
import type { Api } from '../../api/client.ts'
import { exactList } from '../../api/names.ts'
import type { ContactList } from '../../api/schemas.ts'
import { mayArrive } from '../../api/operations.ts'
import { SvcError } from '../../errors.ts'
import { one } from '../../output/result.ts'
import type { Context } from '../../cli/context.ts'
import { dryRunOf } from '../one-change.ts'
import { checkDescription, checkName } from './change.ts'
import { safe } from '../../safe-text.ts'

interface Options {
  readonly name: string
  readonly description?: string
  readonly ifNotExists?: true
  readonly allowDuplicateName?: true
  readonly dryRun?: true
}

export async function createList(context: Context, options: Options) {
  const { ifNotExists, allowDuplicateName, dryRun } = options
  const name = checkName(options.name)
  const body = { name, description: checkDescription(options.description ?? '') }
  const preview = () =>
    dryRunOf(context, `create the list "${name}"`, 'lists.create', { body })
  if (dryRun === true && ifNotExists !== true) return preview()
  if (dryRun !== true) await context.permit({ operation: 'lists.create', ids: 1 })
  const api = await context.api()
  const before = await readFirst(context, api, options)
  const existing = before?.find((list) => list.name === name)
  if (existing !== undefined && ifNotExists === true) {
    const found = exactList(before ?? [], name)
    context.note(`a list called "${name}" already exists; nothing was created`)
    return one(found)
  }
  if (dryRun === true) return preview()
  if (existing !== undefined && allowDuplicateName !== true)
    await askDuplicate(context, existing)
  await context.confirmProtected(`Create the list "${name}"`)
  return one(await sendNew(context, api, body, before))
}

/**
 * Reads the lists before one is created. A service that refuses it is a note and undefined, unless the answer decides: reading is only a
 * help. Throws when it is not available: then the answer to the request would probably be lost as well.
 */
async function readFirst(
  context: Context,
  api: Api,
  { ifNotExists }: Options,
): Promise<readonly ContactList[] | undefined> {
  try {
    return await allLists(api)
  } catch (error) {
    if (!(error instanceof SvcError) || ifNotExists === true) throw error
    if (error.category === 'rejected' || error.category === 'forbidden') {
      context.note(
        `the lists could not be read first (${safe(error.message)}); creating the list anyway`,
      )
      return undefined
    }
    if (error.category !== 'unavailable') throw error
    throw error.withHint(
      say`nothing was created, because svc reads the lists first\n${error.details.hint ?? ''}`,
    )
  }
}

/** A second list of one name is asked about: it cannot be deleted. Throws exit 6 where there is no terminal to ask on, and with --yes. */
async function askDuplicate(context: Context, { id, name }: ContactList): Promise<void> {
  // --yes answers questions about what was typed, and this is about what was found.
  const answer = await context.questions.ask(
    `A list called "${name}" already exists, and lists cannot be deleted. Create another?`,
  )
  if (answer === true) return
  if (answer === false) throw new SvcError('confirm', 'declined; nothing was sent')
  throw new SvcError(
    'rejected',
    `a list called "${name}" already exists (${id}); nothing was created`,
    {
      hint:
        'lists cannot be deleted, and commands refuse a name that two of them have; ' +
        'use --if-not-exists to use that list, or --allow-duplicate-name to create another one',
    },
  )
}

type NewList = Readonly<{ name: string; description: string }>

/** Throws exit 7 if the answer was lost and it is not known what was created. */
async function sendNew(
  context: Context,
  api: Api,
  wanted: NewList,
  before: readonly ContactList[] | undefined,
): Promise<ContactList> {
  try {
    return await api.lists.create(wanted)
  } catch (error) {
    if (!(error instanceof SvcError) || error.details.ambiguous !== true) throw error
    const made =
      error.category === 'interrupted'
        ? { problem: 'interrupted before svc could look for the list' }
        : await findMade(api, wanted, before)
    if (made.problem !== undefined) {
      throw error.withHint(
        say`${made.problem};\n${mayArrive(context.host)}; look at the newest lists before you try again:\n  ${svc`lists list`}`,
      )
    }
    context.note(
      'the answer was lost, but there is a new list with this name and description: this command created it, or another did at the same moment',
    )
    return made.list
  }
}

/** In milliseconds since 1970. A list without a time is older than all others. */
const timeOf = ({ createdAt }: ContactList): number =>
  Date.parse(createdAt ?? '') || -Infinity

type MadeList =
  | { readonly list: ContactList; readonly problem?: undefined }
  | { readonly problem: string }

/** The list that the request created, or why that is not known. */
async function findMade(
  api: Api,
  { name, description }: NewList,
  before: readonly ContactList[] | undefined,
): Promise<MadeList> {
  if (before === undefined)
    return {
      problem:
        'the lists that existed before are not known, so svc cannot tell which one is new',
    }
  const known = new Set(before.map(({ id }) => id.toLowerCase()))
  const newest = Math.max(...before.map(timeOf))
  const made: ContactList[] = []
  let isKnownMet = known.size === 0
  try {
    for await (const list of api.lists.all({ limit: Infinity, ahead: false })) {
      // Lists are ordered newest first, so after one that existed before, none is new.
      isKnownMet ||= known.has(list.id.toLowerCase())
      if (isKnownMet && known.size > 0) break
      // A list without a time may be the one.
      const isOlder = Date.parse(list.createdAt ?? '') < newest
      const isWanted = list.name === name && (list.description ?? '') === description
      if (isWanted && !isOlder) made.push(list)
    }
  } catch {
    // Whatever kept the reading from working, the creation is what is unknown and reported.
    return { problem: 'the lists could not be read afterwards' }
  }
  if (!isKnownMet)
    return {
      problem: 'none of the earlier lists exists now, so svc cannot tell which one is new',
    }
  const [first, ...others] = made
  if (first === undefined)
    return { problem: 'there is no new list with this name and description' }
  if (others.length === 0) return { list: first }
  return { problem: `there are ${made.length} new lists with this name and description` }
}

async function allLists({ lists }: Api): Promise<ContactList[]> {
  const all: ContactList[] = []
  for await (const list of lists.all({ limit: Infinity })) all.push(list)
  return all
}
