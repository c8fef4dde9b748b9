// The explorer's page: GraphiQL with the key of the field above it. The key is kept in this tab's session storage,
// and sent to this page's own address only.
'use strict';

const STORED_KEY = 'heliograph-key';

const HEALTH = `# Run: Ctrl-Enter. Complete: Ctrl-Space.
query Health {
  health {
    status
    version
    engine { product version source }
    identity { bound handle source }
    mailbox { unreadCount }
  }
}
`;

const INBOX = `# The newest mail. For the next page,
# give endCursor as the variable "after".
query Inbox($first: Int = 20, $after: String) {
  inbox(first: $first, after: $after) {
    unreadCount
    edges {
      node {
        unread
        tags
        message { id subject sender { handle } thread { id subject } }
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}
`;

function fetcherWith(key) {
  return async (parameters, options) => {
    const headers = {
      ...options?.headers,
      'content-type': 'application/json',
      accept: 'application/graphql-response+json, application/json;q=0.9',
    };
    if (key) {
      headers.authorization = `Bearer ${key}`;
    }
    const response = await fetch(location.pathname, { method: 'POST', headers, body: JSON.stringify(parameters) });
    return response.json();
  };
}

function Explorer() {
  const [key, setKey] = React.useState(sessionStorage.getItem(STORED_KEY) ?? '');
  const plugins = React.useMemo(() => [GraphiQLPluginExplorer.explorerPlugin()], []);
  // A new fetcher makes GraphiQL ask for the schema again, which a rejected key may have kept it from.
  const fetcher = React.useMemo(() => fetcherWith(key), [key]);

  React.useEffect(() => {
    const field = document.getElementById('key');
    const forget = document.getElementById('forget');
    const change = () => {
      const typed = field.value.trim();
      if (typed) {
        sessionStorage.setItem(STORED_KEY, typed);
      } else {
        sessionStorage.removeItem(STORED_KEY);
      }
      setKey(typed);
    };
    const clear = () => {
      field.value = '';
      change();
    };
    field.value = key;
    field.addEventListener('change', change);
    forget.addEventListener('click', clear);
    return () => {
      field.removeEventListener('change', change);
      forget.removeEventListener('click', clear);
    };
  }, []);

  return React.createElement(GraphiQL, {
    fetcher,
    plugins,
    defaultTabs: [{ query: HEALTH }, { query: INBOX }],
    defaultEditorToolsVisibility: true,
    inputValueDeprecation: true,
    shouldPersistHeaders: false,
  });
}

ReactDOM.createRoot(document.getElementById('explorer')).render(React.createElement(Explorer));
