/**
 * `lists create`. When the answer is lost, the list is looked for among those that were not there before, and never
 * created twice. Only ids and times of the service are compared: this machine's clock plays no part.
 */
import { join, say, svc } from '../../message.ts'
import type { Api } from '../../api/client.ts'
import type { ContactList } from '../../api/schemas.ts'
import { limits, mayArrive } from '../../api/operations.ts'
import { SvcError, usageError } from '../../errors.ts'
import { one } from '../../output/result.ts'
import type { Context } from '../../cli/context.ts'
import { dryRunOf } from '../one-change.ts'
import { checkName, readDescription, type TextOptions } from './change.ts'
import { safe } from '../../safe-text.ts'

interface Options extends TextOptions {
  readonly ifNotExists?: true
  readonly allowDuplicateName?: true
  readonly dryRun?: true
}

export async function createList(context: Context, options: Options) {
  if (options.name === undefined) throw usageError('--name is required')
  if (options.ifNotExists === true && options.allowDuplicateName === true)
    throw usageError('--if-not-exists and --allow-duplicate-name exclude each other')
  const name = checkName(options.name)
  const description = (await readDescription(context, options)) ?? ''
  const preview = () =>
    dryRunOf(context, `create the list "${name}"`, 'lists.create', { body: { name, description } })
  if (options.dryRun === true && options.ifNotExists !== true) return preview()
  if (options.dryRun !== true) await context.permit({ operation: 'lists.create', ids: 1 })
  const api = await context.api()
  const mustRead = options.ifNotExists === true
  const isAll = options.allowDuplicateName !== true
  const { found, before } = await readFirst(context, api, name, { mustRead, isAll })
  const existing = mustRead ? onlyOne(found, name) : undefined
  if (existing !== undefined) {
    context.note(`a list called "${name}" already exists; nothing was created`)
    return one(existing)
  }
  if (options.dryRun === true) return preview()
  if (isAll) await askDuplicate(context, found, name)
  await context.confirmProtected(`Create the list "${name}"`)
  return one(await sendNew(context, api, { name, description }, before))
}

type NewList = Readonly<{ name: string; description: string }>

/** The lists that were there before the request was sent: all of them, or the newest. */
interface Before {
  /** In lower case. */
  readonly ids: Set<string>
  /** When the newest was created, in milliseconds since 1970; -Infinity when no list has a time. */
  newest: number
}

const timeOf = ({ createdAt }: ContactList): number => Date.parse(createdAt ?? '')

/**
 * Reads the lists, all of them or the newest, before one is created: `found` are those of exactly this name. A service that
 * refuses it is a note and no `before`, unless `mustRead`: reading is only a help. Throws when it is not available: then the
 * answer to the request would probably be lost as well.
 */
async function readFirst(
  context: Context,
  api: Api,
  name: string,
  { isAll, mustRead }: { readonly isAll: boolean; readonly mustRead: boolean },
) {
  const before: Before = { ids: new Set(), newest: -Infinity }
  const found: ContactList[] = []
  try {
    for await (const list of api.lists.all({ limit: isAll ? Infinity : limits.pageSize.max })) {
      before.ids.add(list.id.toLowerCase())
      before.newest = Math.max(before.newest, timeOf(list) || -Infinity)
      if (list.name === name) found.push(list)
    }
  } catch (error) {
    if (!(error instanceof SvcError) || mustRead) throw error
    if (error.category === 'rejected' || error.category === 'forbidden') {
      context.note(
        `the lists could not be read first (${safe(error.message)}); creating the list anyway`,
      )
      return { found, before: undefined }
    }
    if (error.category !== 'unavailable') throw error
    throw error.withHint(
      say`nothing was created: the lists are read first\n${error.details.hint ?? ''}`,
    )
  }
  return { found, before }
}

/** Throws exit 6 when several lists have the name: none of them can be meant. */
function onlyOne(found: readonly ContactList[], name: string): ContactList | undefined {
  if (found.length < 2) return found[0]
  throw new SvcError('rejected', `${found.length} lists are called "${name}"`, {
    hint: join(
      [
        'find the one you mean:',
        ...found.slice(0, 20).map(({ id }) => say`  ${svc`lists get ${id}`}`),
      ],
      '\n',
    ),
  })
}

/** A second list of one name is asked about: it cannot be deleted. Throws exit 6 where there is no terminal to ask on, and with --yes. */
async function askDuplicate(
  context: Context,
  [existing]: readonly ContactList[],
  name: string,
): Promise<void> {
  if (existing === undefined) return
  const refusal = new SvcError(
    'rejected',
    `a list called "${name}" already exists (${existing.id}); nothing was created`,
    {
      hint:
        'lists cannot be deleted, and commands refuse a name that two of them have; ' +
        'use --if-not-exists to take that list, --allow-duplicate-name to create another one',
    },
  )
  // --yes answers questions about what was typed, and this is about what was found.
  const answer = await context.ask(
    `A list called "${name}" already exists, and lists cannot be deleted. Create another?`,
  )
  if (answer === undefined) throw refusal
  if (!answer) throw new SvcError('confirm', 'declined; nothing was sent')
}

/** Throws exit 7 when the answer was lost and what was made cannot be told. */
async function sendNew(context: Context, api: Api, wanted: NewList, before: Before | undefined) {
  try {
    return await api.lists.create(wanted)
  } catch (error) {
    if (!(error instanceof SvcError) || error.details.ambiguous !== true) throw error
    const made = await findMade(api, wanted, before, error)
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

type MadeList =
  { readonly list: ContactList; readonly problem?: undefined } | { readonly problem: string }

/** The list that the request made, or why that cannot be told. */
async function findMade(
  api: Api,
  { name, description }: NewList,
  before: Before | undefined,
  cause: SvcError,
): Promise<MadeList> {
  if (cause.category === 'interrupted')
    return { problem: 'interrupted before svc could look for the list' }
  if (before === undefined)
    return {
      problem: 'the lists that existed before are not known, so svc cannot tell which one is new',
    }
  const made: ContactList[] = []
  let met = before.ids.size === 0
  try {
    for await (const list of api.lists.all({ limit: Infinity, ahead: false })) {
      // Lists are ordered newest first: behind one that was there before, none is new.
      if (before.ids.has(list.id.toLowerCase())) {
        met = true
        break
      }
      // A list without a time may be the one.
      const isOlder = timeOf(list) < before.newest
      if (list.name === name && (list.description ?? '') === description && !isOlder)
        made.push(list)
    }
  } catch {
    // Whatever kept the reading from working, the creation is what is unknown and reported.
    return { problem: 'the lists could not be read afterwards' }
  }
  if (!met)
    return { problem: 'none of the earlier lists exists now, so svc cannot tell which one is new' }
  const [first, second] = made
  if (first === undefined) return { problem: 'there is no new list with this name and description' }
  if (second !== undefined)
    return { problem: `there are ${made.length} new lists with this name and description` }
  return { list: first }
}
