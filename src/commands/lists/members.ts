import { findList } from '../../api/names.ts'
import { rows } from '../../output/result.ts'
import { defineCommand, schemaOf, type Verb } from '../../cli/verb.ts'
import { listMemberView, memberTableView } from '../../resources/list-member.ts'
import { paging, pagingOptions } from '../../cli/options.ts'
import { noteNear } from '../near-names.ts'
import { typedList } from './choose.ts'

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
        const list = await typedList(context, typed)
        const service = await context.api()
        const { id } = await findList(service, list, noteNear(context))
        const found = service.lists.members(id, paging(context.print, options))
        const { format, fields } = context.print
        const view = format === 'table' && fields === undefined ? { view: memberTableView } : {}
        return rows(found, { what: 'members', empty: 'no members', ...view })
      }),
    )
