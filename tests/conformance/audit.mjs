// Prints the result of every graphql-http server audit against the URL given, as JSON: [{id, name, status, reason}].
import { serverAudits } from 'graphql-http';

const [url] = process.argv.slice(2);
if (!url) {
  console.error('usage: node audit.mjs URL');
  process.exit(2);
}

const results = await Promise.all(
  serverAudits({ url, fetchFn: fetch }).map(async ({ id, name, fn }) => {
    const { status, reason } = await fn();
    return { id, name, status, reason: reason ?? null };
  }),
);
console.log(JSON.stringify(results));
