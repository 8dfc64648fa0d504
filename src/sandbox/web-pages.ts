/**
 * The sandbox is for programs on this machine. A page in a browser can make that browser send requests here too: what a
 * page sends is refused, whatever it asks for, so that no page can read the keys or switch faults on.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { refusals, type Refusal } from './refusal.ts'

const octet = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)'
const loopbackHost = new RegExp(`^(?:localhost|\\[::1\\]|127(?:\\.${octet}){3})(?::\\d{1,5})?$`, 'i')

/** Why a request is taken for a web page's, or undefined. */
export function refusalOfPage(headers: IncomingHttpHeaders): Refusal | undefined {
  // Browsers send it with every request of a page that could read the answer, and with every one that is not a GET.
  if (headers.origin !== undefined) return refusals.webPage('the request has an Origin header')
  // The rest: images, scripts, forms that GET. A page cannot leave this header out; an address that was typed has "none".
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'none') return refusals.webPage(`the request has Sec-Fetch-Site: ${site}`)
  // A name of the page's own that leads to this machine, after the page was loaded from somewhere else.
  if (headers.host === undefined || !loopbackHost.test(headers.host)) {
    return refusals.webPage('the Host header is not 127.0.0.0/8, [::1] or localhost')
  }
  return undefined
}
