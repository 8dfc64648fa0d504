/** `lists create`. All lists are read first, and the request is sent once: lists cannot be deleted. */
import { say, svc } from '../../message.ts'
import type { Api } from '../../api/client.ts'
import { exactList } from '../../api/names.ts'
import type { ContactList } from '../../api/schemas.ts'
import { mayArrive } from '../../api/operations.ts'
import { SvcError } from '../../errors.ts'
import { one } from '../../output/result.ts'
import type { Context } from '../../cli/context.ts'
import { dryRunOf, sendOnce } from '../one-change.ts'
import { checkDescription, checkName } from './change.ts'
import { safe } from '../../safe-text.ts'

interface CreationOptions {
  readonly name: string
  readonly description?: string
  readonly ifNotExists?: true
  readonly allowDuplicateName?: true
  readonly dryRun?: true
}

export async function createList(context: Context, options: CreationOptions) {
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
  if (existing !== undefined && allowDuplicateName !== true) {
    throw new SvcError(
      'rejected',
      `a list called "${name}" already exists (${existing.id}); nothing was created`,
      {
        hint:
          'lists cannot be deleted, and commands refuse a name that two of them have; ' +
          'use --if-not-exists to use that list, or --allow-duplicate-name to create another one',
      },
    )
  }
  await context.confirmProtected(`Create the list "${name}"`)
  const look = say`${mayArrive(context.host)}; look for the list before you try again:\n  ${svc`lists list --search ${name}`}`
  return one(await sendOnce(() => api.lists.create(body), look))
}

/**
 * Reads the lists before one is created. A service that refuses it is a note and undefined, unless the answer decides: reading is only a
 * help. Throws when it is not available: then the answer to the request would probably be lost as well.
 */
async function readFirst(
  context: Context,
  api: Api,
  { ifNotExists }: CreationOptions,
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

async function allLists({ lists }: Api): Promise<ContactList[]> {
  const all: ContactList[] = []
  for await (const list of lists.all({ limit: Infinity })) all.push(list)
  return all
}
