import { rows } from '../../output/result.ts'
import { defineCommand, schemaOf, type Verb } from '../../cli/verb.ts'
import { listMemberView } from '../../resources/list-member.ts'
import { paging, pagingOptions } from '../../cli/options.ts'

export const members: Verb = (lists, run) =>
  pagingOptions(
    defineCommand(lists, 'members', 'list the contacts of a list, newest first', [
      'svc lists members VIP',
      'svc lists members VIP -o ids',
      'svc lists members VIP -o csv --fields contact.id,name,contact.identities.email',
    ]),
  )
    .argument('[list]', 'list id or name; asked for on a terminal')
    .action(
      run({ ...listMemberView, schema: schemaOf('Members') }, async (context, typed, options) => {
        const { foundList } = await import('./choose.ts')
        const { id } = await foundList(context, typed)
        const found = (await context.api()).lists.members(id, paging(context.print, options))
        return rows(found, { what: 'members', empty: 'no members' })
      }),
    )
