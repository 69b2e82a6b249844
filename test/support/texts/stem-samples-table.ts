/**
 * Words and their stems by Snowball, 60 of each language: of the n words of its voc.txt those at
 * (i + 1/2) n / 60, rounded down, for i from 0 to 59, with what its output.txt has in the same line.
 * From https://github.com/snowballstem/snowball-data at commit f8ecf20, where these lists have one
 * licence, BSD-3-Clause (see NOTICE); Greek is from commit 2a2ade6, the same words with the stems of
 * the mended algorithm.
 *
 * The Arabic list has another licence, and the Tamil one was not at hand. Their words here are made
 * of six nouns with ten forms each; the stems are those of Snowball's own package for Python, 2.2.0
 * and 3.1.1 alike.
 */
import type { Language } from "../../../src/model/full-text-options.ts";

/** Pairs of a word and its stem, separated by spaces. */
export const STEM_SAMPLES: Readonly<Record<Language, string>> = {
  arabic:
    "\
كتاب=كتاب الكتاب=كتاب والكتاب=والكتاب بالكتاب=كتاب كالكتاب=كتاب كتابها=كتاب كتابنا=كتاب \
كتابات=كتابا وكتابهم=كتاب فكتابكما=كتاب معلم=معلم المعلم=معلم والمعلم=والمعلم بالمعلم=معلم \
كالمعلم=معلم معلمها=معلم معلمنا=معلم معلمات=معلما ومعلمهم=معلم فمعلمكما=معلم مكتب=مكتب \
المكتب=مكتب والمكتب=والمكتب بالمكتب=مكتب كالمكتب=مكتب مكتبها=مكتب مكتبنا=مكتب مكتبات=مكتبا \
ومكتبهم=مكتب فمكتبكما=مكتب منزل=منزل المنزل=منزل والمنزل=والمنزل بالمنزل=منزل كالمنزل=منزل \
منزلها=منزل منزلنا=منزل منزلات=منزلا ومنزلهم=منزل فمنزلكما=منزل لاعب=لاعب اللاعب=لاعب \
واللاعب=واللاعب باللاعب=لاعب كاللاعب=لاعب لاعبها=لاعب لاعبنا=لاعب لاعبات=لاعبا ولاعبهم=لاعب \
فلاعبكما=لاعب درس=درس الدرس=درس والدرس=والدرس بالدرس=درس كالدرس=درس درسها=درس درسنا=درس \
درسات=درسا ودرسهم=درس فدرسكما=درس",
  danish:
    "\
affatte=affat aldrig=aldr arabahavet=arabahav bagvaskere=bagvask benbares=benbar \
billedskærer=billedskær bosatte=bosat bækkenes=bæk dikla=dikla dødelig=død elsked=elsked \
farisæerne=farisæ flåddet=flåd forhånes=forhån fortryllet=fortryl frættekær=frættekær \
ganger=gang glædesbudskab=glædesbudskab guldlamper=guldlamp harodkilden=harodkild \
hermontindernes=hermontind hornene=horn håndkværn=håndkværn ildskær=ildskær jabins=jabin \
jonatan=jonatan kelub=kelub konen=kon kusjans=kusjan ledelse=led lovsynger=lovsyng \
løveungerne=løveung mener=men mordere=mord natur=natur nælde=næld ondt=ondt ord=ord \
patriarker=patriark præsferne=præsf rejsebrød=rejsebrød rydded=rydded sammenbøjet=sammenbøj \
simeis=simeis skifternes=skift skøge=skøg solgte=solg stejle=stejl styresmænd=styresmænd \
syndoffertyrens=syndoffertyr talent=talent tilkommer=tilkom troldkvinde=troldkvind \
tålmodighed=tålmod udråb=udråb undergangs=undergang valgt=valg vidners=vidn væddemål=væddemål \
zohets=zoh",
  dutch:
    "\
aansprakelijkheden=aansprak afgestraald=afgestraald allerjongste=allerjongst \
auditorium=auditorium beekdal=beekdal berlaymontgebouw=berlaymontgebouw bijbel=bijbel bont=bont \
buigingen=buiging cloppenburg=cloppenburg cycle=cycl dierenbeschermers=dierenbeschermer \
drankenautomaten=drankenautomat eetzaal=eetzal eraf=eraf finnen=finn geannuleerd=geannuleerd \
gelijkmatigheid=gelijkmat gestopt=gestopt golfslagenergie=golfslagenergie hamert=hamert \
hfsp=hfsp hygiëneprodukten=hygieneprodukt input=input jongenslach=jongenslach \
kinderbals=kinderbal korrelverdeling=korrelverdel landaanwinning=landaanwinn \
lijnrecht=lijnrecht mangaanoxyde=mangaanoxyd mestbandbatterijen=mestbandbatterij \
milieuzorgbeleid=milieuzorgbeleid nachtvensters=nachtvenster nòg=nòg onbegrip=onbegrip \
ontploffingsgevaar=ontploffingsgevar opklaarde=opklaard overleggroepen=overleggroep \
philip=philip presentaties=presentaties radicaal=radical rennen=renn rotte=rot \
schilderde=schilderd slepend=slepend sponsors=sponsor stoer=stoer symboolwerking=symboolwerk \
thermotogales=thermotogales triljoen=triljoen uitstralende=uitstral \
veranderingsprocessen=veranderingsprocess verlagingen=verlag vervuilingen=vervuil vno=vno \
vriendschappelijke=vriendschapp waterpalet=waterpalet westfalen=westfal xerox=xerox \
zonnedag=zonnedag",
  english:
    "\
achieves=achiev alleviated=allevi apprising=appris augusta=augusta beat=beat blight=blight \
bridle=bridl candles=candl charmingly=charm closets=closet concentrated=concentr \
convinces=convinc crossed=cross decide=decid detaches=detach dispatch=dispatch drizzle=drizzl \
embarked=embark estacado=estacado fables=fabl fingered=finger forlornest=forlornest \
garlands=garland gran=gran handles=handl hints=hint idiotic=idiot indisputably=indisput \
intervened=interven jumps=jump leaden=leaden loo=loo marchantiae=marchantia mimosae=mimosa \
mucilaginous=mucilagin nobody=nobodi opponents=oppon panke=pank perform=perform plat=plat \
predicament=predica provide=provid ranked=rank rejoinder=rejoind retrospect=retrospect \
rumpling=rumpl scribbled=scribbl shipton=shipton sliced=slice sparkling=sparkl sternly=stern \
sulk=sulk tares=tare thwarting=thwart triangular=triangular undecided=undecid \
untrustworthy=untrustworthi virgularia=virgularia westwood=westwood wrapper=wrapper",
  finnish:
    "\
aavistan=aavist aidommin=aidom ainoatakaan=ainoa ajoittaiseen=ajoittais alaviittien=alaviit \
alkoi=alkoi altailla=alt ammattilaisjoukkue=ammattilaisjoukue ankka=ank apteekkarina=apteekkar \
arpa=arp arvuutella=arvuut asianhaarana=asianhaar asuntokauppoja=asuntokaupo autoihinsa=autoih \
avenuella=avenue bargum=bargum biologisilla=biologis brita=brita caller=caller clint=clint \
dayn=dayn divisioonaan=divisio edellyttämästä=edellyttäm ehdokassijalle=ehdokassij \
elementteinä=element elvytti=elvyt emokarhun=emokarhu ennätysmurskajaiset=ennätysmurskajais \
epätarkoituksenmukaisesta=epätarkoituksenmukais erityismaininnan=erityismainin \
esimiehet=esimieh etelämantereella=etelämanter europeanin=european fiesta=fies francon=franco \
geoffrey=geoffrey gryta=gryta hahmotus=hahmotus hallinnollisissa=hallinnollis hammas=hammas \
harjoittelulla=harjoittelu hatanpäänniemen=hatanpäänniem heikentyessä=heikentye helmiä=helm \
heppu=hepu hiekkarantoja=hiekkaranto himolaan=himol hjallis=hjallis hopeallaan=hopea \
huippuosaaminen=huippuosaamin huomasi=huoma huumori=huumor hyväksynnälle=hyväksyn \
hämeenkadulla=hämeenkadu hörkkö=hörkö ihmissuhteisiin=ihmissuht ilmajokinen=ilmajokin \
iltaviiteen=iltaviit instituuttiin=instituut",
  french:
    "\
acceptera=accept affiché=affich amassée=amass apportées=apport assit=assit aveuglée=aveugl \
berceau=berceau braver=brav canot=canot chanson=chanson ciseaux=ciseau \
complimenteur=complimenteur considérée=consider corso=corso cuirasse=cuir défensive=défens \
désavantage=désavantag diègue=diègu donnerais=don écouteront=écout empaquetée=empaquet \
enroulait=enroul erraient=erraient évidemment=évident fallu=fallu flegme=flegm fui=fui \
goldoni=goldon hâta=hât imaginé=imagin indiscrétion=indiscret interminables=intermin \
jouissait=jou levées=lev maisons=maison me=me mirent=mirent mutilation=mutil obligé=oblig \
oserons=oseron parleur=parleur pente=pent plaines=plain poursuite=poursuit prier=pri \
publiées=publi rapprocherait=rapproch refusait=refus renommé=renomm ressemblé=ressembl \
rires=rir sapins=sapin serpentent=serpentent sorte=sort suez=su tasses=tass toucheront=touch \
troupe=troup vermoulu=vermoulu voluptueusement=voluptu",
  german:
    "\
abreise=abreis altertümlichen=altertum anrätig=anrat aufführen=auffuhr ausgerufenen=ausgeruf \
base=bas beigeordnet=beigeordnet beschweige=beschweig bislang=bislang buchenholz=buchenholz \
defekt=defekt duftgewebe=duftgeweb einfliessendes=einfliess emim=emim erdkreis=erdkreis \
ertappte=ertappt felsblock=felsblock fortschreite=fortschreit galions=galion gehemmt=gehemmt \
gerecht=gerecht getraute=getraut gönner=gonn häklichen=haklich helfet=helfet heulten=heult \
hochmut=hochmut instinkten=instinkt kämbel=kambel kletterten=klettert kriegswesen=kriegswes \
lebensbedürfnis=lebensbedurfnis lobpreisung=lobpreis medaille=medaill moment=moment nähmen=nahm \
nutzloses=nutzlos pfarrerdie=pfarrerdi pumpender=pumpend reisig=reisig \
sacherklärungen=sacherklar schiffsleuten=schiffsleut schrankes=schrank selbständigen=selbstand \
sooft=sooft steife=steif suchtmittelkonsum=suchtmittelkonsum tokaier=tokai \
übergegangen=ubergegang unbegreifliche=unbegreif unterhalten=unterhalt verdächtigt=verdachtigt \
vermeinte=vermeint verurteilung=verurteil vorhergehn=vorhergehn wasseramsel=wasseramsel \
wetterwind=wetterwind wolken=wolk zichorierte=zichoriert zusammenkommens=zusammenkomm",
  greek:
    "\
αυτοκινηση=αυτοκινησ αυτοκινησησ=αυτοκινησ αυτοκινητε=αυτοκινητ αυτοκινητεσ=αυτοκινητ \
αυτοκινητη=αυτοκινητ αυτοκινητο=αυτοκινητ αυτοκινητοι=αυτοκινητ αυτοκινητοσ=αυτοκινητ \
αυτοκινητουσ=αυτοκινητ αυτοκινητων=αυτοκινητ χορδιζαμε=χορδ χορδιζανε=χορδ χορδιζει=χορδ \
χορδιζεισ=χορδ χορδιζετε=χορδ χορδιζοντασ=χορδιζ χορδιζουμε=χορδ χορδιζουν=χορδ χορδιζω=χορδ \
χορδιξει=χορδιξ χορδισαμε=χορδ χορδισαν=χορδ μελλοντα=μελλοντ μελλοντ=μελλοντ μελλοντασ=μελλ \
μελλοντοσ=μελλοντ αρειε=αρει αρειο=αρει αρειοσ=αρει αρειου=αρει υδροθεραπεια=υδροθεραπει \
υδροθεραπειασ=υδροθεραπει υδροθεραπειων=υδροθεραπει παιδοποδηλατα=παιδοποδηλατ \
παιδοποδηλατο=παιδοποδηλατ παιδοποδηλατων=παιδοποδηλατ παιδοποδηλατου=παιδοποδηλατ \
παιδοποδηλατων=παιδοποδηλατ βροχοχορευαν=βροχοχορευ βροχοχορευε=βροχοχορευ \
βροχοχορευεσ=βροχοχορευ βροχοχορεψα=βροχοχορεψ βροχοχορεψε=βροχοχορεψ βροχοχορεψεσ=βροχοχορεψ \
επιτροπο=επιτροπ επιτροποσ=επιτροπ επιτροπου=επιτροπ επιτροπουσ=επιτροπ \
βορειοασιατικα=βορειοασιατ βορειοασιατικε=βορειοασιατικ βορειοασιατικεσ=βορειοασιατικ \
βορειοασιατικη=βορειοασιατικ βορειοασιατικοι=βορειοασιατικ βορειοασιατικου=βορειοασιατ \
βορειοασιατικουσ=βορειοασιατικ βορειοασιατικοσ=βορειοασιατικ βορειοασιατικων=βορειοασιατ \
υπομελη=υπομελ υπομελουσ=υπομελ υπομελων=υπομελ",
  hungarian:
    "\
adatfelíráshoz=adatfelírás agresszívabb=agresszívabb aktív=aktív \
alkotmánybíróságnál=alkotmánybíróság amnesztiát=amneszt arcképe=arckép baritonjával=bariton \
befolyásos=befolyásos beleépíti=beleépít betekintési=betekintés beállító=beállító \
biztosítást=biztosítás botok=bot bármikori=bármikor búcsúba=búcsú játékosságából=játékosság \
kajára=ka kapcsolói=kapcsoló katonák=katona keresete=kereset keszemet=kesz \
kibocsátandó=kibocsátandó kikényszerítésének=kikényszerítés kikről=ki \
kistelepülések=kistelepülés kiveszi=kivesz klikk=klik koncentráltság=koncentráltság \
korlátozottan=korlátozott kulcsait=kulcs kávéházat=kávéház képzettségétől=képzettség \
későbbre=később kívánhatunk=kívánhat könyvnek=könyv körülírása=körülírás következőhöz=következő \
lefényképezheti=lefényképezhet legénnyel=legény lemezeiről=lemez letartóztatni=letartóztatn \
likvidációs=likvidációs lányhoz=lány lépik=lép magunkról=mag markában=mar \
megbélyegezni=megbélyegezn meghaladhatják=meghaladhatja megkeresek=megkeres \
megnevezésében=megnevezés megránduló=megránduló megtanulhatnánk=megtanulhatna megvárnál=megvár \
mindannak=mindan mobiltelefonról=mobiltelefon munkavállalója=munkavállaló másolások=másolás \
módokon=mód műszert=műszer nedves=nedves",
  italian:
    "\
accessi=access affinis=affinis altoparlanti=altoparl antico=antic artium=artium ausiliare=ausil \
baraldi=barald black=black caduto=cad cartht=cartht chiedere=chied coltivati=coltiv \
condivisa=condivis contese=contes costringono=costring decollati=decoll diffide=diffid \
distorta=distort ecologico=ecolog eseguito=esegu farebbero=farebber finzi=finz fu=fu \
giorgione=giorgion guastan=guastan impensato=impens indipendentistì=indipendent \
insopportabili=insopport irresponsabilità=irrespons lascerete=lasc lodevoli=lodevol \
manifeste=manifest mescolava=mescol montalbano=montalb neppure=neppur omaggio=omagg \
pakistan=pakistan penalizzazione=penalizz piega=pieg pozze=pozz priorache=priorac pudore=pudor \
ram=ram respira=respir rientrano=rientr riprendiamo=riprend rodeva=rod sapesser=sapesser \
scietà=sciet senegalese=senegales simile=simil sora=sor spiegazioni=spiegazion \
stralunati=stralun sylvester=sylvester thailand=thailand trasparenti=trasparent \
uniforme=uniform vennero=venner voltasse=volt",
  norwegian:
    "\
alderspensjonsordninger=alderspensjonsordning arbeidsgiverens=arbeidsgiver avhl=avhl bedt=bedt \
betryggende=betrygg bredt=bredt bustadomsetninga=bustadomsetning datasystema=datasystem \
dommen=domm eigarseksjonslov=eigarseksjon enkeltsaker=enkeltsak favne=favn flaum=flaum \
foretatte=foretatt forskjellene=forskjell framtidsbilder=framtidsbild førebur=førebur gjør=gjør \
gruppeliv=gruppeliv havneoperatørene=havneoperatør hode=hod hylte=hylt inklusive=inklusiv \
inntreffe=inntreff kakker=kakk klarere=klarer konkurransevilkåra=konkurransevilkår \
kritikk=kritikk lauvøy=lauvøy livets=liv lønnsnivåene=lønnsnivå medregningen=medregning \
mister=mist nasjonalitet=nasjonalit næringsdrivande=næringsdriv opningsbalanse=opningsbalans \
ordreplassering=ordreplassering parkeringsplass=parkeringsplass planløsninger=planløsning \
prosess=prosess regionalplanlegging=regionalplanlegging rettighetsforholdene=rettighetsforhold \
råk=råk samtidige=samtid sikler=sikl skiljet=skilj sluttfasen=sluttfas spreidde=spreidd \
stormen=storm svanser=svans tau=tau tilleggspensjonsordning=tilleggspensjonsordning \
trafikkert=trafikker tryggare=tryggar ulikskap=ulikskap utenom=utenom utøve=utøv \
vegtransporten=vegtransport vinden=vind års=års",
  portuguese:
    "\
aceita=aceit afeito=afeit alterações=alter antipatia=antipat armado=armad atira=atir balido=bal \
bioquímica=bioquím buscando=busc característico=característ cervejinha=cervejinh cláudio=cláudi \
compatibilizar=compatibiliz consagrados=consagr convivo=conviv cúbicos=cúbic degredados=degred \
desditoso=desdit detesto=detest diversificado=diversific elaboravam=elabor encontradas=encontr \
erosão=erosã estabeleceu=estabelec execução=execu faro=far flagrante=flagrant fumantes=fumant \
glândulas=glândul hea=hea ilesos=iles indico=indic interessam=interess jenipapo=jenipap \
laticínios=laticíni lobby=lobby mandava=mand megawatts=megawatts mitológico=mitológ \
mutações=mutaçõ noturnas=noturn organizado=organiz paris=par perdidas=perd plaza=plaz \
preferidos=prefer promissora=promissor quilombo=quilomb recuperado=recuper repressão=repressã \
ritmos=ritm saneado=san serrar=serr soltl=soltl surpreende=surpreend terminal=terminal \
trainner=trainn uma=uma verdade=verdad votou=vot",
  romanian:
    "\
acoperişurile=acoperişur ajungea=ajung analizezi=analiz ardea=arde atomul=atom bătrână=bătrân \
bucurie=bucur caselor=cas cercetărilor=cercetăr claritatea=claritat comuniste=comunist \
contrabandă=contraband crispat=crispat dă=dă descopere=descop dinafară=dinaf dragă=drag \
energia=energ existentă=existent fenomenologii=fenomenolog forţe=forţ gândului=gând \
grămădesc=grămăd iluminat=ilumin inginer=inginer ireparabilul=irepar înăbuşe=înăbuş \
îndrăznesc=îndrăzn întâmplase=întâmpl jumătăţi=jumătăţ lipicioasă=lipic major=major \
medievale=medieval mişcării=mişcăr muntele=munt negăm=neg nimic=nimic ocupă=ocup \
ostilitate=ostil părinte=părint pierdere=pierd politice=polit prelungă=prelung profeţii=prof \
radium=radium receptor=receptor reprezentat=reprezent ropot=ropot sărute=sărut senzaţii=senz \
smulgeţi=smulg stabilită=stabil strîmbătură=strîmbăt şanţuri=şanţur telefonică=telefon \
transgresează=transgres ţări=ţăr urmei=urme versuri=versur zamfire=zamf",
  russian:
    "\
артельных=артельн бесполый=беспол боя=бо вела=вел витринах=витрин ворохом=ворох выбивая=выбив \
выходке=выходк городе=город дверей=двер доглядит=догляд дуняше=дуняш житейской=житейск \
закладка=закладк зарницыной=зарницын змея=зме ильича=ильич канцеляристов=канцелярист \
командор=командор кружатся=кружат линейки=линейк масленице=маслениц многоярусный=многоярусн \
навык=навык нарушился=наруш недотепа=недотеп несвойственным=несвойствен обаятельной=обаятельн \
обходя=обход онемели=онемел отверзалась=отверза отступает=отступа перебиваете=перебива пиф=пиф \
подбирает=подбира поздравляли=поздравля помертвевшей=помертвевш посоветуюсь=посовет \
праздностью=праздност приговора=приговор присутствующих=присутств проникающим=проника \
пуговиц=пуговиц раздражительным=раздражительн рассуждение=рассужден рубить=руб связи=связ \
скверен=сквер смертного=смертн солонку=солонк ссадил=ссад стучались=стуча твоих=тво \
тревожная=тревожн угадав=угада умысел=умысел участием=участ холста=холст чистым=чист \
экипажи=экипаж",
  spanish:
    "\
accesible=acces adquirido=adquir aldea=alde anfisbena=anfisben aquéllas=aquell asumen=asum \
badmington=badmington bióticos=biotic caducidad=caduc caricaturas=caricatur cfe=cfe coches=coch \
comportan=comport conquistar=conquist convertidores=convertidor crudo=crud declara=decl \
desalientos=desalient destinaban=destin disimular=disimul ecuador=ecuador encabezará=encabez \
episodio=episodi estas=estas explanada=explan festejar=festej frenar=fren gises=gis \
hacinamiento=hacin humeante=humeant inconformes=inconform insecto=insect invitó=invit l=l \
línea=line maldito=maldit mcallen=mcall miocardio=miocardi munich=munich notar=not omb=omb \
panamá=panam pelotero=peloter pisado=pis poul=poul pro=pro púber=pub realidades=realidad \
régimen=regim resguardarlo=resguard riverside=riversid sanidades=sanidad shcp=shcp \
soportes=soport surgen=surg terciopelo=terciopel trailers=trailers únicas=unic verbales=verbal \
votantes=votant",
  swedish:
    "\
aktningsvärd=aktningsvärd apotekarens=apotek bandhundens=bandhund belåtnare=belåtn \
bidrag=bidrag bom=bom buds=bud darrar=darr dråplig=dråp eldar=eld farstutrapp=farstutrapp \
flyttar=flytt frimodig=frimod fått=fått förjagad=förjag försvunnen=försvun gentilaste=gentil \
grodden=grodd halfdunkla=halfdunkl herrskapers=herrskaper hushållningen=hushållning \
högljutt=högljut inköpet=inköpet johannem=johannem kavaljern=kavalj \
komministersfru=komministersfru kufvades=kufv lackar=lack lingon=lingon läderlappar=läderlapp \
mark=mark mittemot=mittemot målar=mål nisse=niss också=också ordentliga=ordent passar=pass \
pre=pre rackartyg=rackartyg rockhandeln=rockhandeln rökpelaren=rökpel servisen=servis \
skatt=skatt skymfa=skymf smetade=smet sorter=sort stenen=sten städerna=städ syndabikt=syndabik \
tankar=tank tingesten=tingest trovärdiga=trovärd tätare=tät uppklev=uppklev utmärkte=utmärk \
varsnat=varsn visitationer=visitation vävstol=vävstol ärter=ärt ömkligt=ömk",
  tamil:
    "\
மரம்=மரம் மரத்தில்=மரம் மரத்தை=மரம் மரத்தால்=மரம் மரத்துக்கு=மர மரத்திலிருந்து=மரத்தில் \
மரத்துடன்=மர மரங்கள்=மரங் மரங்களை=மரங் மரங்களில்=மரங் புத்தகம்=புத்தகம் புத்தகத்தில்=புத்தகம் \
புத்தகத்தை=புத்தகம் புத்தகத்தால்=புத்தகம் புத்தகத்துக்கு=பு புத்தகத்திலிருந்து=புத்தகத்தில் \
புத்தகத்துடன்=பு புத்தகங்கள்=புத்தகம் புத்தகங்களை=புத்தகம் புத்தகங்களில்=புத்தகம் நகரம்=நகரம் \
நகரத்தில்=நகரம் நகரத்தை=நகரம் நகரத்தால்=நகரம் நகரத்துக்கு=நகர நகரத்திலிருந்து=நகரத்தில் \
நகரத்துடன்=நகர நகரங்கள்=நகரம் நகரங்களை=நகரம் நகரங்களில்=நகரம் பணம்=பணம் பணத்தில்=பணம் \
பணத்தை=பணம் பணத்தால்=பணம் பணத்துக்கு=பண பணத்திலிருந்து=பணத்தில் பணத்துடன்=பண பணங்கள்=பணங் \
பணங்களை=பணங் பணங்களில்=பணங் கடிதம்=கடிதம் கடிதத்தில்=கடிதம் கடிதத்தை=கடிதம் கடிதத்தால்=கடிதம் \
கடிதத்துக்கு=கடித கடிதத்திலிருந்து=கடிதத்தில் கடிதத்துடன்=கடித கடிதங்கள்=கடிதம் \
கடிதங்களை=கடிதம் கடிதங்களில்=கடிதம் குடும்பம்=கு் குடும்பத்தில்=கு் குடும்பத்தை=கு் \
குடும்பத்தால்=கு் குடும்பத்துக்கு=கு் குடும்பத்திலிருந்து=குடும்பத்தில் குடும்பத்துடன்=கு் \
குடும்பங்கள்=குடும்பம் குடும்பங்களை=குடும்பம் குடும்பங்களில்=குடும்பம்",
  turkish:
    "\
aguado=aguado altındaki=alt aradan=ara attila=attil aþýlabilecek=aþýlabilecek \
bastırırmış=bastırır beklentim=bekle binlerce=bin bulacaktır'=bulacaktır' cahiliye=cahili \
daireden=daire derecede=derece disney'e=disney'e duyulmamışken=duyulmamış ederim=eder \
erbaş=erbaş eğitime=eğit fotoğraflarıyla=fotoğraf gençlerimizle=genç girmediğini=girmedik \
görüşeceklerini=görüşecek haftaki=haf hazırlamayı=hazırlama ibare=ibar inisiyatifle=inisiyatif \
işkenceye=işkence kamuoyunda=kamuoy karşılıksuriye=karşılıksuri kaçırılmasıyla=kaçırılma \
komisyoncuları=komisyoncu kryspin=kryspin köyceğiz=köycek lime=l mağazaları'nın=mağazaları'n \
miroğlu'nun=miroğlu'n nadı=nadı olabilirdik=olabilir ortaçağ'dan=ortaçağ' pct=pct pul=pul \
sabah=sabah savunuculuğu=savunuculuk seviyorum=seviyor sorumluluğumu=sorumluluk \
söğütlüçeşme=söğütlüçeşme talebiedinilen=talebiedinile tedavim=tedav tonajlı'=tonajlı' \
türkiyenin=türkiye uçağın=uçak virüsüne=virü yaptýrýmlara=yaptýrým yazilar=yazi yolcuları=yolcu \
yığılma=yığılma çatışmaya=çatışma çıkartılmasına=çıkartılma özkavak'ın=özkavak' ıktisat=ıktisat \
şaşırtacak=şaşırtacak",
};
