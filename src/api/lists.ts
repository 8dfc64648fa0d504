import type { Hooks } from '../http/attempt.ts'
import type { Http } from '../http/client.ts'
import type { AddResult, ContactList, ListMember, ListPage, MemberPage } from './schemas.ts'
import { followPages, type Page, type PagesRead, type Paging } from './paginate.ts'

export interface ListChanges {
  readonly name?: string
  readonly description?: string
}

export interface Lists {
  page(query: { page?: number; limit?: number; search?: string }): Promise<ListPage>
  /** All lists, newest first, page by page. */
  all(paging: Paging, search?: string): AsyncGenerator<ContactList, PagesRead>
  get(listId: string): Promise<ContactList>
  members(listId: string, paging: Paging): AsyncGenerator<ListMember, PagesRead>
  create(body: { name: string; description: string }, hooks?: Hooks): Promise<ContactList>
  update(listId: string, changes: ListChanges): Promise<ContactList>
  /** 1 to 100 contacts. */
  addContacts(listId: string, contactIds: readonly string[], hooks?: Hooks): Promise<AddResult>
}

export function listsApi(http: Http): Lists {
  function page(query: { page?: number; limit?: number; search?: string }): Promise<ListPage> {
    return http.call('lists.list', { query })
  }
  function membersPage(listId: string, query: { page?: number; limit?: number }): Promise<MemberPage> {
    return http.call('lists.get', { path: { listId }, query })
  }
  return {
    page,
    all(paging, search) {
      const fetchPage = async (query: { page: number; limit: number }): Promise<Page<ContactList>> => {
        const answer = await page({ ...query, ...(search === undefined ? {} : { search }) })
        return { rows: answer.lists, pagination: answer.pagination }
      }
      return followPages(fetchPage, (list) => list.id, paging)
    },
    async get(listId) {
      // One member is the least that can be asked for; only the list is wanted.
      return (await membersPage(listId, { page: 1, limit: 1 })).list
    },
    members(listId, paging) {
      const fetchPage = async (query: { page: number; limit: number }): Promise<Page<ListMember>> => {
        const answer = await membersPage(listId, query)
        return { rows: answer.members, pagination: answer.pagination }
      }
      return followPages(fetchPage, (member) => member.id, paging)
    },
    create(body, hooks) {
      return http.call('lists.create', { body }, hooks)
    },
    update(listId, changes) {
      return http.call('lists.update', { path: { listId }, body: changes })
    },
    addContacts(listId, contactIds, hooks) {
      return http.call('lists.add-contacts', { path: { listId }, body: { contactIds } }, hooks)
    },
  }
}
