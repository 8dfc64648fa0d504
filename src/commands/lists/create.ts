import { usageError } from '../../errors.ts'
import { record } from '../../output/result.ts'
import { defineCommand, type Verb } from '../../cli/verb.ts'
import { oneContactListView } from '../../resources/contact-list.ts'
import { planned } from '../planned.ts'
import { createList, findByName, readNewest } from './creation.ts'
import { checkName, readDescription } from './text.ts'
import { schemaOf } from '../schema-of.ts'

export const create: Verb = (lists, run) =>
  defineCommand(lists, 'create', 'create a contact list', [
    'svc lists create --name "Spring campaign"',
    'svc lists create --name VIP --if-not-exists --json',
  ])
    .description('Create a contact list. Names need not be unique; use --if-not-exists to create it only once.')
    .option('--name <name>', '1 to 100 characters (required)')
    .option('--description <text>', 'at most 1,000 characters')
    .option('--description-file <path>', 'read the description from a file, or - for standard input')
    .option('--if-not-exists', 'if a list with exactly this name exists, show it instead')
    .option('--dry-run', 'check and show what would be created')
    .action(
      run({ ...oneContactListView, schema: schemaOf('WrittenList') }, async (context, options) => {
        if (options.name === undefined) throw usageError('--name is required')
        const name = checkName(options.name)
        const description = (await readDescription(context, options)) ?? ''
        const plan = () =>
          planned(context, `create the list "${name}"`, 'lists.create', { body: { name, description } })
        if (options.dryRun === true && options.ifNotExists !== true) return plan()
        if (options.dryRun !== true) await context.permit({ operation: 'lists.create', ids: 1 })
        const api = await context.api()
        const found = options.ifNotExists === true ? await findByName(api, name) : undefined
        if (found?.existing !== undefined) {
          context.note(`a list called "${name}" already exists; nothing was created`)
          return record(found.existing)
        }
        if (options.dryRun === true) return plan()
        await context.confirmProtected(`Create the list "${name}"`)
        const before = found?.before ?? (await readNewest(context, api))
        return record(await createList(context, api, { name, description }, before))
      }),
    )
