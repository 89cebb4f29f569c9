import { render } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Api } from './api';
import { KeyPrompt } from './components/key_prompt';
import { Layout } from './components/layout';
import { Failed, Loading } from './components/states';
import { AppContext, storageOf } from './context';
import { useAsked } from './lib/asked';
import { SessionKeys, type Prompt } from './lib/keys';
import { useRoute, type Page } from './lib/router';
import { AdminPage } from './pages/admin';
import { DataPage } from './pages/data';
import { DialsPage } from './pages/dials';
import { DocsPage } from './pages/docs';
import { ItemsPage } from './pages/items';
import { ModelPage } from './pages/model';
import { PeoplePage } from './pages/people';
import { QualityPage } from './pages/quality';
import { RecommendPage } from './pages/recommend';
import { ServicePage } from './pages/service';
import { UploadPage } from './pages/upload';
import { WhyPage } from './pages/why';
import './style/colours.css';
import './style/base.css';
import './style/controls.css';
import './style/parts.css';
import './style/figures.css';
import './style/pages.css';
import './style/workbench.css';

function pageOf(page: Page, params: URLSearchParams) {
  switch (page) {
    case 'recommend':
      return <RecommendPage params={params} />;
    case 'why':
      return <WhyPage params={params} />;
    case 'people':
      return <PeoplePage params={params} />;
    case 'items':
      return <ItemsPage params={params} />;
    case 'data':
      return <DataPage />;
    case 'upload':
      return <UploadPage />;
    case 'model':
      return <ModelPage />;
    case 'quality':
      return <QualityPage params={params} />;
    case 'dials':
      return <DialsPage />;
    case 'service':
      return <ServicePage />;
    case 'admin':
      return <AdminPage />;
    case 'docs':
      return null; // shown before there are criteria, and without a key
  }
}

function App() {
  const [prompt, setPrompt] = useState<Prompt | null>(null);
  const api = useMemo(() => new Api(new SessionKeys(setPrompt, storageOf('sessionStorage'))), []);
  const route = useRoute();
  const criteria = useAsked((signal) => api.criteria(signal), []);
  return (
    <>
      <Layout route={route}>
        {route.page === 'docs' ? (
          <DocsPage api={api} />
        ) : criteria.error ? (
          <Failed error={criteria.error} again={criteria.again} />
        ) : criteria.answer ? (
          <AppContext.Provider value={{ api, criteria: criteria.answer, reload: criteria.again }}>
            {pageOf(route.page, route.params)}
          </AppContext.Provider>
        ) : (
          <Loading what="the explorer" />
        )}
      </Layout>
      {prompt && <KeyPrompt prompt={prompt} />}
    </>
  );
}

render(<App />, document.getElementById('app')!);
