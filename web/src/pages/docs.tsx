// The HTTP interface, from the document that the server is held to; nothing is loaded from elsewhere.
import { useState } from 'preact/hooks';
import type { Api } from '../api';
import { PageHead } from '../components/layout';
import { Failed, Loading } from '../components/states';
import { useAsked } from '../lib/asked';
import {
  fieldsOf,
  namedIn,
  routesByTag,
  typeText,
  type OpenApi,
  type Route,
  type Schema,
} from '../lib/openapi';

export function DocsPage({ api }: { api: Api }) {
  const { answer, error, again } = useAsked((signal) => api.openapi(signal), []);
  const [wanted, setWanted] = useState('');
  if (error) return <Failed error={error} again={again} />;
  if (!answer) return <Loading what="the document" />;
  const document = answer as OpenApi;
  const text = wanted.trim().toLowerCase();
  const fits = ({ path, method, summary, operationId }: Route) =>
    `${method} ${path} ${summary} ${operationId}`.toLowerCase().includes(text);
  const groups = routesByTag(document)
    .map(([tag, routes]): [string, Route[]] => [tag, routes.filter(fits)])
    .filter(([, routes]) => routes.length > 0);
  return (
    <>
      <PageHead title="HTTP interface">
        {document.info.summary}, version {document.info.version}. Everything that this explorer
        shows comes from here.
      </PageHead>
      <div class="stack">
        <section class="card stack" aria-label="About">
          <Prose text={document.info.description} />
          <div class="ask">
            <label class="field grow">
              <span>Find a route</span>
              <input
                type="search"
                value={wanted}
                onInput={(event) => setWanted(event.currentTarget.value)}
              />
            </label>
            <a class="button" href="v1/openapi.json" download="palate-openapi.json">
              OpenAPI document
            </a>
          </div>
        </section>
        {groups.length === 0 && <p class="muted">No route is like this.</p>}
        {groups.map(([tag, routes]) => (
          <section key={tag} class="card" aria-label={tag}>
            <h2 class="docs-tag">{tag}</h2>
            {routes.map((route) => (
              <RouteEntry key={route.operationId} route={route} />
            ))}
          </section>
        ))}
        {text === '' && <Schemas schemas={document.components.schemas} />}
      </div>
    </>
  );
}

function RouteEntry({ route }: { route: Route }) {
  const [open, setOpen] = useState(false);
  return (
    <details class="route" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class={`verb ${route.method}`}>{route.method.toUpperCase()}</span>
        <span class="route-path breakable">{route.path}</span>
        <span class="muted small route-summary">{route.summary}</span>
      </summary>
      {open && <RouteDetail route={route} />}
    </details>
  );
}

function RouteDetail({ route }: { route: Route }) {
  const body = Object.entries(route.requestBody?.content ?? {})[0];
  const { parameters = [], responses } = route;
  const good = Object.entries(responses).filter(([status]) => status < '300');
  const bad = Object.keys(responses).filter((status) => status >= '300');
  return (
    <div class="route-detail stack">
      <p class="small">
        {route['x-role']
          ? `Takes a key with the role ${route['x-role']}, where keys are needed.`
          : 'Open to all.'}
      </p>
      <Prose text={route.description} />
      {parameters.length > 0 && (
        <div>
          <h3>Parameters</h3>
          <dl class="fields">
            {parameters.map(({ name, in: where, required, description, schema }) => (
              <Field
                key={name}
                name={name}
                schema={schema}
                required={required === true}
                note={`in the ${where}`}
                {...(description ? { description } : {})}
              />
            ))}
          </dl>
        </div>
      )}
      {body && <Carried title={`Body, ${body[0]}`} schema={body[1].schema} />}
      {good.map(([status, { content, description }]) => {
        const [kind, media] = Object.entries(content ?? {})[0] ?? [];
        return (
          <Carried
            key={status}
            title={`${status}${kind ? `, ${kind}` : ` ${description ?? ''}`}`}
            schema={media?.schema}
          />
        );
      })}
      <p class="small muted">Otherwise a problem document: {bad.join(', ')}.</p>
    </div>
  );
}

function Carried({ title, schema }: { title: string; schema: Schema | undefined }) {
  return (
    <div>
      <h3>{title}</h3>
      {schema && (
        <>
          <p class="small">
            <Type schema={schema} />
          </p>
          <Fields schema={schema} />
        </>
      )}
    </div>
  );
}

function Schemas({ schemas }: { schemas: Record<string, Schema> }) {
  return (
    <section class="card" aria-label="Objects">
      <h2 class="docs-tag">Objects</h2>
      {Object.entries(schemas).map(([name, schema]) => (
        <details key={name} class="route" id={`schema-${name}`}>
          <summary>
            <span class="route-path">{name}</span>
            <span class="muted small route-summary">
              {schema.description ?? Object.keys(schema.properties ?? {}).join(', ')}
            </span>
          </summary>
          <div class="route-detail">
            <Fields schema={schema} />
            {fieldsOf(schema).length === 0 && <p class="small">{typeText(schema)}</p>}
          </div>
        </details>
      ))}
    </section>
  );
}

function Fields({ schema }: { schema: Schema }) {
  const fields = fieldsOf(schema);
  if (fields.length === 0) return null;
  return (
    <dl class="fields">
      {fields.map(([name, field, required], i) => (
        <Field key={`${name}${i}`} name={name} schema={field} required={required} deep />
      ))}
    </dl>
  );
}

interface FieldProps {
  name: string;
  schema: Schema;
  required: boolean;
  note?: string;
  description?: string;
  deep?: boolean;
}

function Field({ name, schema, required, note, description, deep }: FieldProps) {
  const words = [note, required ? 'required' : undefined].filter(Boolean).join(', ');
  return (
    <div>
      <dt>
        <code>{name}</code>
      </dt>
      <dd>
        <span class="small">
          <Type schema={schema} />
          {words && <span class="muted"> · {words}</span>}
        </span>
        <Prose text={description ?? schema.description} />
        {deep && <Fields schema={schema} />}
      </dd>
    </div>
  );
}

/** What it is, in words; what has a name of its own leads to it. */
function Type({ schema }: { schema: Schema }) {
  const name = namedIn(schema);
  const text = typeText(schema);
  if (!name) return <span class="breakable">{text}</span>;
  return (
    <button class="link" type="button" onClick={() => show(name)}>
      {text}
    </button>
  );
}

/** The address names the page, so a place on it cannot be part of the address. */
function show(name: string): void {
  const entry = document.getElementById(`schema-${name}`);
  if (!(entry instanceof HTMLDetailsElement)) return;
  entry.open = true;
  entry.scrollIntoView({ block: 'start' });
  entry.querySelector('summary')?.focus();
}

/** Text in which `code` stands between backticks. */
function Prose({ text }: { text: string | undefined }) {
  if (!text) return null;
  return (
    <p class="small">
      {text.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}
    </p>
  );
}
